import * as Settings from "@wcs/http-node/Settings"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { Json } from "./Json.ts"
import { show } from "./Output.ts"
import { Refused } from "./ServeCommand.ts"

/** `wcs migrate`: the migration that a server also runs when it starts. */
export const migrate = Command.make("migrate", {}, () =>
  Effect.gen(function* () {
    const { layerStore } = yield* Effect.promise(() => import("@wcs/http-node/Serve"))
    const { migrations } = yield* Effect.promise(() => import("@wcs/store-sql/engine/Migrations"))
    yield* Effect.provide(Effect.void, layerStore)
    yield* show({ migrations: migrations.length, newest: migrations.at(-1)?.name }, yield* Json)
  }).pipe(
    Effect.provide(Settings.layer),
    Effect.catchTag("StartRefused", ({ message }) => Effect.fail(new Refused({ message })))
  )
).pipe(Command.withDescription("Migrate the store to the schema of this version and exit"))
