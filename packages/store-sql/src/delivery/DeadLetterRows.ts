import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import type { Instant } from "@wcs/domain/shared/Instant"
import type { DeadLetter } from "@wcs/domain/webhook/FanOut"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { RecordsWriter } from "../audit/RecordsWriter.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, type Script } from "../engine/Script.ts"

interface DeadLetterRow {
  readonly tenant_id: string
  readonly id: string
  readonly kind: string
  readonly at: unknown
  readonly retry_at: unknown
}

/** The columns of a dead letter. `until` is the time of its retry; null if it is never retried. */
export const deadLetterColumns = (until: Instant | null) => ({
  state: until === null ? "dead" : "retrying",
  retry_at: until
})

const deadLetterOf = (row: DeadLetterRow): DeadLetter => ({
  tenantId: row.tenant_id,
  eventId: row.id,
  kind: row.kind,
  at: Number(row.at),
  until: row.retry_at === null ? null : Number(row.retry_at)
})

/** Lists and retries dead letters. */
export const makeDeadLetters = (sql: SqlClient.SqlClient, records: RecordsWriter) => {
  const dialect = dialectOf(sql)
  const from = (which: ReadonlyArray<Statement.Fragment>) =>
    sql`FROM event AS r${dialect.indexedBy("event_unsent")} WHERE ${sql.and([sql`r.state <> 'sent'`, ...which])}`
  const oldestFirst = (limit: number) => sql`ORDER BY r.at, r.position LIMIT ${limit}`

  return {
    set: (tenantId: string, eventId: string, until: Instant | null) =>
      // The condition is repeated: after a lock wait Postgres rechecks only the row itself, not the subquery.
      sql`UPDATE event SET ${sql.update(deadLetterColumns(until))} WHERE tenant_id = ${tenantId} AND state <> 'sent'
        AND position IN (SELECT r.position ${from([sql`r.tenant_id = ${tenantId}`, sql`r.id = ${eventId}`])})`,

    list: (tenantId: string | null, limit: number) => {
      const isOfTenant = tenantId === null ? [] : [sql`r.tenant_id = ${tenantId}`]
      return sql<DeadLetterRow>`SELECT r.tenant_id, r.id, r.kind, r.at, r.retry_at
        ${from([sql`r.state IN ('retrying', 'dead')`, ...isOfTenant])} ${oldestFirst(limit)}`.pipe(
        Effect.map((found) => found.map(deadLetterOf))
      )
    },

    *retry(tenantId: string, eventId: string | null, limit: number, audit: AuditEntry): Script<number> {
      const isRetrying = (alias: string) => {
        const event = sql.literal(alias)
        return sql`${event}.state = 'retrying' AND ${event}.retry_at > ${audit.at}`
      }
      const byId = eventId === null ? [] : [sql`r.id = ${eventId}`]
      const retried = yield* changes(sql`UPDATE event SET retry_at = ${audit.at}
        WHERE tenant_id = ${tenantId} AND ${isRetrying("event")} AND position IN (
          SELECT r.position ${from([sql`r.tenant_id = ${tenantId}`, isRetrying("r"), ...byId])} ${oldestFirst(limit)}
        )`)
      if (retried > 0) yield* records.audit(tenantId, [audit])
      return retried
    }
  }
}
