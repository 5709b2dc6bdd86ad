import { leasesChanged } from "@wcs/domain/shared/Notifications"
import { channel } from "@wcs/postgres/NotificationsPostgres"
import type { Cell } from "@wcs/store-sql/cells/Move"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../Settings.ts"
import { client, requireSuitable } from "../stores/PostgresStores.ts"
import { buildApart } from "./BuildApart.ts"
import { settingsNamed } from "./CellSettings.ts"

/** How workers are notified of changed leases. */
export const notice = { channel, topic: leasesChanged }

/** Connections of a move: it holds two, and needs some more. Settings for requests do not change it. */
const connections = 6

/** Connects to a database of the settings by its name, until the scope closes. */
export const connect = Effect.fnUntraced(function* (name: string) {
  const found = yield* settingsNamed(name)
  const own = Settings.of({ ...found, database: Option.map(found.database, ({ url }) => ({ url, connections })) })
  const context = yield* Effect.provideService(buildApart(client), Settings, own)
  yield* requireSuitable.pipe(Effect.provideContext(context), Effect.provideService(Settings, own))
  const sql = yield* SqlClient.SqlClient.pipe(Effect.provideContext(context))
  return { name, sql } satisfies Cell
})
