import { Data, Effect } from "effect"
import { Command } from "effect/cli"
import { Json } from "./Json.ts"

/** The server cannot start. No stored data was changed. */
export class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}

/** `wcs serve`. All settings are environment variables. The server modules are imported only here. */
export const serve = Command.make("serve", {}, () =>
  Effect.gen(function* () {
    const server = yield* Effect.promise(() => import("./Server.ts"))
    return yield* server.run(yield* Json)
  }).pipe(Effect.catchTag("StartRefused", ({ message }) => Effect.fail(new Refused({ message }))))
).pipe(Command.withDescription("Run the HTTPS server until SIGTERM or SIGINT; all settings are environment variables"))
