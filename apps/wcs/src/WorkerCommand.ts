import { Effect } from "effect"
import { Command } from "effect/cli"
import { Json } from "./Json.ts"

/** `wcs worker`. All settings are environment variables, as for `wcs serve`. */
export const worker = Command.make("worker", {}, () =>
  Effect.gen(function* () {
    const apart = yield* Effect.promise(() => import("./WorkerApart.ts"))
    return yield* apart.run(yield* Json)
  })
).pipe(
  Command.withDescription(
    "Run a worker that verifies credentials and sends events, on the database of the servers, until SIGTERM or SIGINT"
  )
)
