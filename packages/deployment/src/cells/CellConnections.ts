import { leasesChanged } from "@wcs/domain/shared/Notifications"
import { StartRefused } from "@wcs/node-server/StartRefused"
import { channel } from "@wcs/postgres/NotificationsPostgres"
import { firstCell } from "@wcs/store-sql/cells/Directory"
import type { Cell } from "@wcs/store-sql/cells/Move"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../Settings.ts"
import { client, requireSuitable } from "../stores/PostgresStores.ts"
import { buildApart } from "./BuildApart.ts"
import { settingsOf } from "./CellDirectory.ts"

/** How workers are notified of changed leases. */
export const notice = { channel, topic: leasesChanged }

/** Connects to a database of the settings by its name, until the scope closes. */
export const connect = Effect.fnUntraced(function* (name: string) {
  const settings = yield* Settings
  const found = settings.cells.find((cell) => cell.name === name)
  if (found === undefined && name !== firstCell) {
    return yield* new StartRefused({ message: `WCS_CELLS has no database ${name}; nothing was changed.` })
  }
  const own = found === undefined ? settings : settingsOf(settings, found)
  const context = yield* Effect.provideService(buildApart(client), Settings, own)
  yield* requireSuitable.pipe(Effect.provideContext(context), Effect.provideService(Settings, own))
  const sql = yield* SqlClient.SqlClient.pipe(Effect.provideContext(context))
  return { name, sql } satisfies Cell
})
