import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { keep } from "./Query.ts"

/** A tenant with its time zone. */
export interface StoredTenant {
  readonly id: string
  readonly time_zone: string
}

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
      for (const tenant of tenants) {
        const answer = yield* read(tenant)
        if (answer !== undefined) found.push(answer)
        if (found.length === limit) return found
      }
      const end = tenants.at(-1)
      if (end === undefined || tenants.length < limit) return found
      last = end.id
    }
  })
}
