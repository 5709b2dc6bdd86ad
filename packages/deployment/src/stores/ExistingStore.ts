import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { StartRefused } from "@wcs/node-server/StartRefused"
import { dialectOf } from "@wcs/store-sql/engine/Dialect"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { Settings } from "../Settings.ts"
import type { Database } from "../settings/Store.ts"
import { inSnapshot, noStoreAt } from "./BackupConnection.ts"
import { hasKeyIn, keyFileOf, storeFileOf } from "./DataDirectory.ts"

const creating =
  "wcs serve and wcs migrate create one. During a first start, wait until it prints its address; nothing was changed."

/** A lost store is not refused here: its master key is there, so the start says what to restore. */
const requireFile = Effect.gen(function* () {
  const { dataDirectory, masterKeyFile } = yield* Settings
  const isLost = Option.isNone(masterKeyFile) && existsSync(keyFileOf(dataDirectory))
  const file = storeFileOf(dataDirectory)
  if (isLost || existsSync(file)) return
  return yield* noStoreAt(file, creating)
})

const requireTables = Effect.fnUntraced(function* ({ url }: Database) {
  const { dataDirectory, masterKeyFile } = yield* Settings
  if (Option.isNone(masterKeyFile) && !hasKeyIn(dataDirectory)) {
    return yield* new StartRefused({
      message: `There is no master key in ${resolve(dataDirectory)}: set WCS_DATA or WCS_MASTER_KEY_FILE; nothing was changed.`
    })
  }
  const tables = yield* inSnapshot(SqlClient.SqlClient.use((sql) => dialectOf(sql).catalogue))
  // other programs may have tables there
  if (tables.some(({ table }) => table === "tenant_host")) return
  const { nameOf } = yield* Effect.promise(() => import("./PostgresStores.ts"))
  return yield* new StartRefused({
    message: `There is no store in the database ${nameOf(url)}: check DATABASE_URL; ${creating}`
  })
})

/**
 * Fails unless the settings name a store, before anything is created. For commands that manage a deployment: with a
 * forgotten setting, they would otherwise create another one.
 */
export const requireStore = Settings.use(({ database }) =>
  Option.match(database, { onNone: () => requireFile, onSome: requireTables })
)
