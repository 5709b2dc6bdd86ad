import { Data, Effect } from "effect"
import { Command } from "effect/cli"
import { Json } from "./Json.ts"

/** The server does not start; nothing stored was changed. */
export class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}

/** `wcs serve`. All settings come from the environment; the server's modules are loaded only here. */
export const serve = Command.make("serve", {}, () =>
  Effect.gen(function* () {
    const server = yield* Effect.promise(() => import("./Server.ts"))
    return yield* server.run(yield* Json)
  }).pipe(Effect.catchTag("StartRefused", ({ message }) => Effect.fail(new Refused({ message }))))
).pipe(Command.withDescription("Answer HTTPS requests until a signal ends it"))
