import { readFileSync } from "node:fs"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"

// Databases on a coordinator of Citus.

/** Runs an effect on the database of a URL. */
export const on = <A, E>(url: string, effect: Effect.Effect<A, E, SqlClient.SqlClient>): Promise<A> =>
  PgClient.makeClient({ url: Redacted.make(url) }).pipe(
    Effect.flatMap((sql) => Effect.provideService(effect, SqlClient.SqlClient, sql)),
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.runPromise
  )

export const statement = (text: string) => SqlClient.SqlClient.use((sql) => sql.unsafe(text))

/** Creates the extension in a database of the coordinator. The coordinator is a node too, and has few shards. */
export const prepareDatabase = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE EXTENSION IF NOT EXISTS citus`
  const nodes = yield* sql`SELECT 1 FROM pg_dist_node`
  if (nodes.length === 0) yield* sql`SELECT citus_set_coordinator_host('localhost', current_setting('port')::INTEGER)`
})

/** Distributes the migrated tables by `citus.sql`, in one session, with four shards for each. */
export const distributeTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const script = readFileSync("apps/wcs/deploy/citus.sql", "utf8")
  yield* Effect.scoped(
    Effect.gen(function* () {
      const session = yield* sql.reserve
      for (const statement of ["SET citus.shard_count TO 4", ...script.split(/;\n/)]) {
        if (/^(SET|SELECT)/m.test(statement)) yield* session.executeUnprepared(statement, [], undefined)
      }
    })
  )
})
