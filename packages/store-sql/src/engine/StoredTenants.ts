import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { dialectOf } from "./Dialect.ts"
import { keep } from "./Query.ts"

/** The tenants that are asked concurrently. */
const together = 8

/** A tenant with its time zone. */
interface StoredTenant {
  readonly id: string
  readonly time_zone: string
}

/** Caches the statement that reads stored tenants by their ids, as a JSON array. */
export const keepTenants = (sql: SqlClient.SqlClient) =>
  keep<{ ids: string }, StoredTenant>(
    sql,
    (at) => sql`SELECT t.id, t.time_zone FROM tenant AS t WHERE ${dialectOf(sql).isAmong("t.id", at("ids"))}`
  )

/**
 * Reads a page of the stored tenants after an id, each by a statement of its own, for a Postgres that is distributed by
 * tenant. The page has all of them, also those with nothing to do, so that its last one is the place of the next page.
 */
export const makeWalk = (sql: SqlClient.SqlClient) => {
  const next = keep<{ after: string; limit: number }, StoredTenant>(
    sql,
    (at) =>
      sql`SELECT t.id, t.time_zone FROM tenant AS t WHERE t.id > ${at("after")} ORDER BY t.id LIMIT ${at("limit")}`
  )
  return Effect.fnUntraced(function* <A>(
    after: string,
    limit: number,
    read: (tenant: StoredTenant) => Effect.Effect<ReadonlyArray<A>, SqlError.SqlError>
  ) {
    const tenants = yield* next({ after, limit })
    return (yield* Effect.forEach(tenants, read, { concurrency: together })).flat()
  })
}
