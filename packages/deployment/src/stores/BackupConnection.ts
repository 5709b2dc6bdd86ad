import { existsSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import * as MasterKey from "@wcs/keys/MasterKey"
import * as Seal from "@wcs/keys/Seal"
import * as SigningKeyPair from "@wcs/keys/SigningKeyPair"
import { notWritable, settleName } from "@wcs/node-server/PrivateFile"
import { StartRefused } from "@wcs/node-server/StartRefused"
import * as SqliteClient from "@wcs/sqlite/SqliteClient"
import * as SqliteSnapshot from "@wcs/sqlite/SqliteSnapshot"
import { signingKey } from "@wcs/store-sql/access/AccessRows"
import type { Row } from "@wcs/store-sql/engine/Columns"
import { detailOf, dialectOf } from "@wcs/store-sql/engine/Dialect"
import { Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, SqlError } from "effect/sql"
import { Settings } from "../Settings.ts"
import * as Directory from "./DataDirectory.ts"

// Backups read and write all rows of a store, in the database or in the data directory.

const postgres = Effect.promise(() => import("./PostgresStores.ts"))

/** The engine of the settings. */
export const engine = Settings.use(({ database }) => Effect.succeed(Option.isSome(database) ? "postgres" : "sqlite"))

/** A failure of the database between the first and the last row. */
const interrupted = (error: SqlError.SqlError) =>
  new StartRefused({ message: `The database failed: ${detailOf(error)}.` })

type Services = SqlClient.SqlClient | Settings | Directory.DataDirectory

/** Needs no data directory if the work needs none. */
const inPostgres = <A, E, R extends Services>(begin: string, work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { client } = yield* postgres
    return yield* SqlClient.SqlClient.use((sql) =>
      sql.withTransaction(Effect.andThen(dialectOf(sql).unlimited, work))
    ).pipe(Effect.provideService(SqlClient.BeginTransaction, begin), Effect.provide(client))
  })

/** The refusal of a command that needs the store at this path. */
export const noStoreAt = (file: string, advice = "") =>
  new StartRefused({ message: `There is no store at ${file}: set WCS_DATA or DATABASE_URL. ${advice}`.trim() })

const inFile = Effect.fnUntraced(function* <A, E>(work: Effect.Effect<A, E, SqlClient.SqlClient | Settings>) {
  const { dataDirectory } = yield* Settings
  const file = Directory.storeFileOf(dataDirectory)
  if (!existsSync(file)) return yield* noStoreAt(file)
  const client = SqliteSnapshot.layer(file).pipe(
    Layer.catchTag("SqliteOpenError", ({ message }) => Layer.effectContext(new StartRefused({ message })))
  )
  return yield* Effect.provide(work, client)
})

const isSqlError = (error: unknown): error is SqlError.SqlError => SqlError.isSqlError(error)

/** Reads the store of the settings as of one moment, while servers use it. */
export const inSnapshot = <A, E>(work: Effect.Effect<A, E, SqlClient.SqlClient | Settings>) =>
  Effect.flatMap(engine, (found) =>
    found === "postgres" ? inPostgres("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", work) : inFile(work)
  ).pipe(Effect.catchIf(isSqlError, (error) => Effect.fail(interrupted(error))))

/** Fails unless the master key is there. A restored store needs the key of the backed-up one. */
const requireKey = Effect.gen(function* () {
  const { dataDirectory, masterKeyFile } = yield* Settings
  const file = Directory.keyFileOf(dataDirectory)
  if (Option.isSome(masterKeyFile) || existsSync(file)) return
  return yield* new StartRefused({
    message: `There is no master key: copy the key of the backed-up store to ${file}, or set WCS_MASTER_KEY_FILE; nothing was changed.`
  })
})

/** Whether a master key opens all signing keys of a store. */
export const opensKeysOf = Effect.fnUntraced(function* (masterKey: MasterKey.MasterKey["Service"]) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<Row>`SELECT ${sql.literal(signingKey.selected("k"))} FROM signing_key AS k`
  const seal = Layer.provide(Seal.layer, [MasterKey.layer(masterKey), SecureRandom.layerWebCrypto])
  return yield* Effect.forEach(rows, (row) => SigningKeyPair.open(signingKey.of(row)), { discard: true }).pipe(
    Effect.provide(seal),
    Effect.match({ onFailure: () => false, onSuccess: () => true })
  )
})

/** Fails unless a master key opens the signing keys of the store. */
export const requireFitting = Effect.fnUntraced(function* (masterKey: MasterKey.MasterKey["Service"]) {
  if (yield* opensKeysOf(masterKey)) return
  return yield* new StartRefused({
    message: "The master key is not the key of the store: use the right key; nothing was changed."
  })
})

/** Fails unless the database is empty. */
const requireEmpty = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { database } = yield* Settings
  const { nameOf } = yield* postgres
  const rows = yield* dialectOf(sql).catalogue
  if (rows.length === 0) return
  const name = Option.match(database, { onNone: () => "", onSome: ({ url }) => nameOf(url) })
  return yield* new StartRefused({
    message: `The database ${name} already has tables: set DATABASE_URL to an empty database; nothing was changed.`
  })
})

const fillPostgres = Effect.fnUntraced(function* <A, E>(fill: Effect.Effect<A, E, Services>) {
  const { requireSuitable } = yield* postgres
  return yield* inPostgres("BEGIN", Effect.andThen(requireSuitable, Effect.andThen(requireEmpty, fill)))
})

const occupied = (file: string) =>
  new StartRefused({ message: `There is a store at ${file}: move it away, or set WCS_DATA; nothing was changed.` })

/** Fills a new file beside the store, which gets the name of the store once it is complete. */
const fillFile = Effect.fnUntraced(function* <A, E>(fill: Effect.Effect<A, E, Services>) {
  const { path, storeFile } = yield* Directory.DataDirectory
  if (existsSync(storeFile)) return yield* occupied(storeFile)
  const folder = Effect.tryPromise({ try: () => mkdtemp(join(path, ".restoring-")), catch: notWritable(path) })
  return yield* Effect.acquireUseRelease(
    folder,
    (directory) => {
      const draft = join(directory, "store")
      const client = SqliteClient.layer({ filename: draft }).pipe(
        Layer.catchTag("SqliteOpenError", ({ message }) => Layer.effectContext(new StartRefused({ message })))
      )
      const settled = Effect.flatMap(settleName(draft, storeFile), (isFree) =>
        isFree ? Effect.void : occupied(storeFile)
      )
      return SqlClient.SqlClient.use((sql) => sql.withTransaction(fill)).pipe(
        Effect.provide(client),
        Effect.tap(settled)
      )
    },
    (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
  )
})

/** Fills the empty store of the settings. If the effect fails, nothing is changed. */
export const inNewStore = <A, E>(fill: Effect.Effect<A, E, Services>) =>
  Effect.gen(function* () {
    yield* requireKey
    const found = yield* engine
    return yield* Effect.provide(
      found === "postgres" ? fillPostgres(fill) : fillFile(fill),
      Directory.layer.pipe(Layer.provide(SecureRandom.layerWebCrypto))
    )
  }).pipe(Effect.catchIf(isSqlError, (error) => Effect.fail(interrupted(error))))
