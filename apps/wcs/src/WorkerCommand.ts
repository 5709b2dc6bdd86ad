import { Effect } from "effect"
import { Command } from "effect/cli"
import { Json } from "./Json.ts"
import { Refused } from "./ServeCommand.ts"

/** `wcs worker`. All settings come from the environment, as those of `wcs serve` do. */
export const worker = Command.make("worker", {}, () =>
  Effect.gen(function* () {
    const apart = yield* Effect.promise(() => import("./WorkerApart.ts"))
    return yield* apart.run(yield* Json)
  }).pipe(Effect.catchTag("StartRefused", ({ message }) => Effect.fail(new Refused({ message }))))
).pipe(
  Command.withDescription("Verify credentials and send events, on the database of servers, until a signal ends it")
)
