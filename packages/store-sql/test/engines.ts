import * as PgClient from "@effect/sql-pg/PgClient"
import * as AccessEpoch from "@wcs/store-sql/access/AccessEpoch"
import { distribute } from "@wcs/store-sql/engine/Dialect"
import * as StoreSql from "@wcs/store-sql/StoreSql"
import type { Stores } from "@wcs/store-suite/Fixtures"
import { databaseWith } from "@wcs/store-suite/postgres/FreshDatabase"
import { Deferred, Effect, Layer, References } from "effect"
import { SqlClient } from "effect/sql"
import { store } from "./temporary.ts"

/** A database with another collation and time zone than ours: nothing in the store may depend on them. */
const strangeDatabase = databaseWith("TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'", {
  timezone: "'Pacific/Auckland'"
})

/** A client of a Postgres database that exists for this layer only. */
export const postgresClient = Layer.unwrap(Effect.map(strangeDatabase, (url) => PgClient.layer({ url })))

/** The store on such a database, with the client to inspect it. */
export const postgresStore = Layer.provideMerge(
  Layer.provide(StoreSql.layerShared, AccessEpoch.layer),
  postgresClient
).pipe(Layer.provideMerge(Layer.succeed(References.TracerEnabled, false)))

/** The same with the statements for a Postgres whose tables are distributed by tenant. */
export const distributedStore = Layer.provideMerge(
  Layer.provide(StoreSql.layerShared, AccessEpoch.layer),
  Layer.effectDiscard(Effect.map(SqlClient.SqlClient, distribute))
).pipe(Layer.provideMerge(postgresClient), Layer.provideMerge(Layer.succeed(References.TracerEnabled, false)))

/** The store on each engine. */
export const engines: ReadonlyArray<readonly [string, Layer.Layer<Stores | SqlClient.SqlClient, unknown>]> = [
  ["SQLite", store],
  ["Postgres", postgresStore]
]

/** Resumes when another transaction waits for a row that the open one has changed. */
export const waitedFor = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (;;) {
    const waiting = yield* sql`SELECT 1 FROM pg_locks AS held JOIN pg_locks AS wanted USING (transactionid)
      WHERE held.pid = pg_backend_pid() AND held.granted AND NOT wanted.granted`
    if (waiting.length > 0) return
  }
})

/** Makes a change in a transaction that ends once another transaction waits for it. */
export const underWay = (
  sql: SqlClient.SqlClient,
  change: Effect.Effect<unknown, unknown>,
  ending: Effect.Effect<unknown, unknown> = Effect.void
) =>
  Effect.gen(function* () {
    const isMade = yield* Deferred.make<void>()
    const steps = [change, Deferred.succeed(isMade, undefined), waitedFor, ending]
    yield* Effect.forkDetach(sql.withTransaction(Effect.all(steps))) // it outlives the fiber that runs the statement
    yield* Deferred.await(isMade)
  }).pipe(Effect.provideService(SqlClient.SqlClient, sql))
