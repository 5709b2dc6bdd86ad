import * as Settings from "@wcs/deployment/Settings"
import { storeFileOf } from "@wcs/deployment/stores/DataDirectory"
import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import { Json } from "./Json.ts"
import { show } from "./Output.ts"

/** The store of the settings: the file, or the database without user and password. */
const storeName = Settings.Settings.use(({ dataDirectory, database }) =>
  Option.match(database, {
    onNone: () => Effect.succeed(storeFileOf(dataDirectory)),
    onSome: ({ url }) =>
      Effect.map(
        Effect.promise(() => import("@wcs/deployment/stores/PostgresStores")),
        ({ nameOf }) => nameOf(url)
      )
  })
)

/** `wcs migrate`: the migration that a server also runs when it starts. Creates the store if there is none. */
export const migrate = Command.make("migrate", {}, () =>
  Effect.gen(function* () {
    const { migrated } = yield* Effect.promise(() => import("@wcs/deployment/Deployment"))
    const { layer } = yield* Effect.promise(() => import("@wcs/deployment/stores/Stores"))
    const { migrations } = yield* Effect.promise(() => import("@wcs/store-sql/engine/Migrations"))
    yield* Effect.provide(Effect.void, migrated(layer))
    const settings = yield* Settings.Settings
    for (const cell of settings.cells) {
      const { settingsOf } = yield* Effect.promise(() => import("@wcs/deployment/cells/CellDirectory"))
      const { buildApart } = yield* Effect.promise(() => import("@wcs/deployment/cells/BuildApart"))
      yield* buildApart(migrated(layer)).pipe(
        Effect.provideService(Settings.Settings, settingsOf(settings, cell)),
        Effect.scoped
      )
    }
    const cells = settings.cells.length === 0 ? {} : { cells: settings.cells.map(({ name }) => name) }
    const newest = migrations.at(-1)?.name
    yield* show({ store: yield* storeName, ...cells, migrations: migrations.length, newest }, yield* Json)
  }).pipe(Effect.provide(Settings.layer))
).pipe(Command.withDescription("Migrate the store to the schema of this version and exit"))
