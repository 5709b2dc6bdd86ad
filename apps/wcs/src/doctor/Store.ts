import { existsSync } from "node:fs"
import { settingsOf } from "@wcs/deployment/cells/CellSettings"
import { Settings } from "@wcs/deployment/Settings"
import { inSnapshot, opensKeysOf } from "@wcs/deployment/stores/BackupConnection"
import { keyFileOf, storeFileOf } from "@wcs/deployment/stores/DataDirectory"
import { faults } from "@wcs/deployment/stores/PostgresFaults"
import * as MasterKey from "@wcs/keys/MasterKey"
import { readSecret } from "@wcs/node-server/PrivateFile"
import { dialectOf } from "@wcs/store-sql/engine/Dialect"
import { applied, migrations, objection } from "@wcs/store-sql/engine/Migrations"
import { Clock, Effect, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import { type Finding, findingsOf } from "./Finding.ts"
import { moves } from "./Moves.ts"

const ofKey = findingsOf("master key")
const ofDatabase = findingsOf("database")
const ofClock = findingsOf("clock")

/** The master key, or what is wrong with it. */
export const readKey = Effect.gen(function* () {
  const { dataDirectory, database, masterKeyFile } = yield* Settings
  const file = Option.getOrElse(masterKeyFile, () => keyFileOf(dataDirectory))
  const text = yield* Effect.result(readSecret(file, "The master key"))
  if (Result.isFailure(text)) return Result.fail(ofKey.failed(text.failure.message))
  if (Option.isSome(text.success)) {
    const key = MasterKey.fromText(text.success.value)
    return Result.mapError(key, ({ message }) =>
      ofKey.failed(`${file} is not a master key (${message}): restore the right file.`)
    )
  }
  if (Option.isSome(masterKeyFile)) {
    return Result.fail(ofKey.failed(`${file} does not exist: create it by openssl rand -hex 32, or copy the key.`))
  }
  return Result.fail(
    Option.isNone(database) && existsSync(storeFileOf(dataDirectory))
      ? ofKey.failed(`The store has no master key: restore ${file} from its backup.`)
      : noKeyYet
  )
})

const noKeyYet = ofKey.ok("There is no master key yet. The first start creates it.")
const keyElsewhere = ofKey.failed(
  "The database has a store, but there is no master key here: set WCS_MASTER_KEY_FILE, or copy master.key of another server."
)

/** Compares the migrations of a store with those of this program. */
const schemaOf = Effect.gen(function* () {
  const stored = yield* applied
  const refusal = objection(stored, migrations)?.reason
  if (refusal?._tag === "Newer") {
    return ofDatabase.failed("A newer program wrote the store: run the newer program, or restore an older backup.")
  }
  if (refusal !== undefined) return ofDatabase.failed("Another program made the store: choose another database.")
  const missing = migrations.length - stored.length
  return missing === 0
    ? ofDatabase.ok("The schema is up to date.")
    : ofDatabase.warning(`The schema lacks ${missing} migrations: take a backup, then run wcs migrate.`)
})

/** Settings of the server without which acknowledged writes can be lost. */
const durable = ["fsync", "full_page_writes"]
/** Connections of a server besides `WCS_DATABASE_CONNECTIONS`. */
const furtherConnections = 3
const skewMillisMax = 1000

/** Why a start would fail. */
const obstacles = Effect.gen(function* () {
  const { nameOf } = yield* Effect.promise(() => import("@wcs/deployment/stores/PostgresStores"))
  const name = Option.match((yield* Settings).database, { onNone: () => "", onSome: ({ url }) => nameOf(url) })
  return yield* faults(name)
})

const postgresOf = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { database } = yield* Settings
  const wanted = Option.match(database, {
    onNone: () => 0,
    onSome: ({ connections }) => connections + furtherConnections
  })
  const before = yield* Clock.currentTimeMillis
  const [state] = yield* sql<Readonly<Record<string, unknown>>>`SELECT
    current_setting('max_connections') AS most, current_setting('fsync') AS fsync,
    current_setting('full_page_writes') AS full_page_writes,
    CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS now`
  const after = yield* Clock.currentTimeMillis
  const now = Number(state?.["now"])
  const skew = now < before ? before - now : Math.max(0, now - after)
  const off = durable.filter((name) => state?.[name] === "off")
  const findings: Array<Finding> = []
  if (off.length > 0) {
    findings.push(ofDatabase.failed(`${off.join(", ")} is off, so a crash loses acknowledged writes: set it to on.`))
  }
  if (Number(state?.["most"]) < wanted) {
    findings.push(
      ofDatabase.failed(
        `max_connections is ${state?.["most"]}: raise it, or lower WCS_DATABASE_CONNECTIONS (${wanted} needed).`
      )
    )
  }
  findings.push(
    skew > skewMillisMax
      ? ofClock.failed(`The clock differs from the database's by ${skew} ms: synchronize both with NTP.`)
      : ofClock.ok("The clock agrees with the database's.")
  )
  return findings
})

/** The newest entry of an embedded store must not be in the future. */
const clockOf = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [newest] = yield* sql<{ readonly at: unknown }>`SELECT at FROM audit_event ORDER BY position DESC LIMIT 1`
  const ahead = Number(newest?.at ?? 0) - (yield* Clock.currentTimeMillis)
  return ahead > skewMillisMax
    ? ofClock.failed(`The newest audit entry is ${Math.ceil(ahead / 1000)} s in the future: correct the clock first.`)
    : ofClock.ok("The clock is not behind the store.")
})

const misfit = ofKey.failed("The master key is of another store: restore the right one.")

const fitting = (key: MasterKey.MasterKey["Service"]) =>
  MasterKey.isRotating(key)
    ? ofKey.warning("The file has two master keys: complete the rotation by wcs admin reseal, then remove the old key.")
    : ofKey.ok("The master key opens all signing keys of the store.")

const examine = (key: Result.Result<MasterKey.MasterKey["Service"], Finding>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const isPostgres = Option.isSome((yield* Settings).database)
    const inTheWay = isPostgres ? yield* obstacles : []
    const ofEngine = [...inTheWay.map(ofDatabase.failed), ...(isPostgres ? yield* postgresOf : [])]
    const tables = yield* dialectOf(sql).catalogue
    const ofFile = Result.isFailure(key) ? [key.failure] : []
    if (inTheWay.length > 0) return [...ofFile, ...ofEngine]
    if (tables.length === 0) {
      return [...ofFile, ...ofEngine, ofDatabase.ok("The database is empty. The first start fills it.")]
    }
    const schema = yield* schemaOf
    if (schema.result === "failed") return [...ofFile, ...ofEngine, schema]
    const clock = isPostgres ? [] : [yield* clockOf]
    if (Result.isFailure(key)) {
      return [key.failure === noKeyYet ? keyElsewhere : key.failure, ...ofEngine, ...clock, schema]
    }
    const fits = yield* opensKeysOf(key.success)
    return [...ofEngine, ...clock, schema, fits ? fitting(key.success) : misfit]
  })

/** One of the databases of the deployment. */
const storeOf = Effect.gen(function* () {
  const { dataDirectory, database } = yield* Settings
  const key = yield* readKey
  const ofFile = Result.isFailure(key) ? [key.failure] : []
  if (Option.isNone(database) && !existsSync(storeFileOf(dataDirectory))) {
    return Result.isFailure(key)
      ? [...ofFile, ofDatabase.ok("There is no store yet. The first start creates it.")]
      : [ofDatabase.failed("There is a master key but no store: restore a backup, or set WCS_DATA.")]
  }
  return yield* inSnapshot(examine(key)).pipe(
    Effect.catchTag("StartRefused", ({ message }) => Effect.succeed([...ofFile, ofDatabase.failed(message)]))
  )
})

/** The master key, each database with its schema, moves between them, and the clock. */
export const store = Effect.gen(function* () {
  const settings = yield* Settings
  const findings = [...(yield* storeOf)]
  for (const cell of settings.cells) {
    const found = yield* Effect.provideService(storeOf, Settings, settingsOf(settings, cell))
    findings.push(...found.map((finding) => ({ ...finding, message: `${cell.name}: ${finding.message}` })))
  }
  return settings.cells.length === 0 ? findings : [...findings, ...(yield* moves)]
})
