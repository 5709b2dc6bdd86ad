import { Effect } from "effect"
import { Command } from "effect/cli"
import { Json } from "./Json.ts"

/** `wcs worker`. All settings are environment variables, as for `wcs serve`. */
export const worker = Command.make("worker", {}, () =>
  Effect.gen(function* () {
    const working = yield* Effect.promise(() => import("./Working.ts"))
    return yield* working.run(yield* Json)
  })
).pipe(
  Command.withDescription(
    "Run a worker that verifies credentials and sends events, on the database of the servers, until SIGTERM or SIGINT"
  )
)
