import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import type { Instant } from "@wcs/domain/shared/Instant"
import { type EventAside, forGood } from "@wcs/domain/webhook/FanOut"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { RecordsWriter } from "../audit/RecordsWriter.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, type Script } from "../engine/Script.ts"
import { untried } from "./DeliveryFanOut.ts"

interface AsideRow {
  readonly tenant_id: string
  readonly id: string
  readonly kind: string
  readonly at: unknown
  readonly waiting: unknown
}

/** Events that are set aside: what an operator sees of them and does about them. */
export const makeAside = (sql: SqlClient.SqlClient, records: RecordsWriter) => {
  const dialect = dialectOf(sql)
  const from = (which: ReadonlyArray<Statement.Fragment>) =>
    sql`FROM event AS r${dialect.indexedBy("event_waiting")} WHERE ${sql.and([sql`r.waiting IS NOT NULL`, ...which])}`
  const oldestFirst = (limit: number) => sql`ORDER BY r.at, r.position LIMIT ${limit}`

  return {
    set: (tenantId: string, eventId: string, until: Instant) =>
      // Postgres that has waited for a row looks at that row alone once more, and not at what was found before.
      sql`UPDATE event SET waiting = ${until} WHERE tenant_id = ${tenantId} AND waiting IS NOT NULL
        AND position IN (SELECT r.position ${from([sql`r.tenant_id = ${tenantId}`, sql`r.id = ${eventId}`])})`,

    list: (tenantId: string | null, limit: number) => {
      const isOfTenant = tenantId === null ? [] : [sql`r.tenant_id = ${tenantId}`]
      return sql<AsideRow>`SELECT r.tenant_id, r.id, r.kind, r.at, r.waiting
        ${from([sql`r.waiting > ${untried}`, ...isOfTenant])} ${oldestFirst(limit)}`.pipe(
        Effect.map((found) =>
          found.map(
            (row): EventAside => ({
              tenantId: row.tenant_id,
              eventId: row.id,
              kind: row.kind,
              at: Number(row.at),
              until: Number(row.waiting)
            })
          )
        )
      )
    },

    *retry(tenantId: string, eventId: string | null, limit: number, audit: AuditEntry): Script<number> {
      const isLater = (alias: string) => {
        const waiting = sql.literal(`${alias}.waiting`)
        return sql`${waiting} > ${audit.at} AND ${waiting} < ${forGood}`
      }
      const isIt = eventId === null ? [] : [sql`r.id = ${eventId}`]
      const retried = yield* changes(sql`UPDATE event SET waiting = ${audit.at}
        WHERE tenant_id = ${tenantId} AND ${isLater("event")} AND position IN (
          SELECT r.position ${from([sql`r.tenant_id = ${tenantId}`, isLater("r"), ...isIt])} ${oldestFirst(limit)}
        )`)
      if (retried > 0) yield* records.audit(tenantId, [audit])
      return retried
    }
  }
}
