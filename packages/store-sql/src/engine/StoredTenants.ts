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
 * Walks the stored tenants in the order of their ids, and reads each by a statement of its own, for a Postgres that is
 * distributed by tenant. Returns the first `limit` answers that are not undefined.
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
    read: (tenant: StoredTenant) => Effect.Effect<A | undefined, SqlError.SqlError>
  ) {
    const found: Array<A> = []
    for (let last = after; ; ) {
      const tenants = yield* next({ after: last, limit })
      const answers = yield* Effect.forEach(tenants, read, { concurrency: together })
      found.push(...answers.filter((answer) => answer !== undefined))
      if (found.length >= limit) return found.slice(0, limit)
      const end = tenants.at(-1)
      if (end === undefined || tenants.length < limit) return found
      last = end.id
    }
  })
}
