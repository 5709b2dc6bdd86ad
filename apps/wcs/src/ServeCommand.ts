import { Effect } from "effect"
import { Command } from "effect/cli"
import { Json } from "./Json.ts"

/** `wcs serve`. All settings are environment variables. The server modules are imported only here. */
export const serve = Command.make("serve", {}, () =>
  Effect.gen(function* () {
    const server = yield* Effect.promise(() => import("./Serving.ts"))
    return yield* server.run(yield* Json)
  })
).pipe(
  Command.withDescription(
    "Run the HTTPS server until SIGTERM or SIGINT; all settings are environment variables: see wcs settings"
  )
)
