import { type Priority, priorities } from "@wcs/domain/message/Turns"
import type { SqlClient } from "effect/sql"
import { keepForBatches } from "../engine/Batch.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { keep } from "../engine/Query.ts"
import type { ResourceRow } from "../resource/ResourceTable.ts"
import { messageTable } from "./MessageRows.ts"

/** A message of the queue. */
export interface DueRow extends ResourceRow {
  readonly tenant_id: string
  readonly priority: unknown
  readonly due_at: unknown
}

export const priorityFrom = (column: unknown): Priority => priorities.find((one) => one === Number(column)) ?? 2

/** Reads the queues. The cost depends on the number of tenants that have messages, and not on the length of a queue. */
export const makeQueues = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const waiting = dialect.indexedBy("message_queue_waiting")
  return {
    queues: keep<object, { readonly tenant_id: string; readonly priority: unknown; readonly due_at: unknown }>(
      sql,
      () => sql`WITH RECURSIVE f (tenant_id) AS (
          SELECT min(q.tenant_id) FROM message_queue AS q${waiting}
          UNION ALL
          SELECT (SELECT min(q.tenant_id) FROM message_queue AS q${waiting} WHERE q.tenant_id > f.tenant_id)
          FROM f WHERE f.tenant_id IS NOT NULL
        )
        SELECT f.tenant_id, p.priority, (SELECT min(q.due_at) FROM message_queue AS q${waiting}
          WHERE q.tenant_id = f.tenant_id AND q.priority = p.priority) AS due_at
        FROM f CROSS JOIN (${sql.literal(priorities.map((one) => `SELECT ${one} AS priority`).join(" UNION ALL "))}) AS p
        WHERE f.tenant_id IS NOT NULL`
    ),
    firstOf: keepForBatches(
      sql,
      dialect,
      { tenant: "TEXT", priority: "BIGINT", due_by: "BIGINT", places: "BIGINT" },
      ({ rows: batch }) => sql<DueRow>`WITH n AS MATERIALIZED (${batch})
        SELECT q.tenant_id, q.priority, q.due_at, ${sql.literal(messageTable.selected)} FROM n ${dialect.joinEach(
          "message_queue",
          "q",
          (columns) => sql`SELECT x.${columns} FROM message_queue AS x${waiting}
            WHERE x.tenant_id = n.tenant AND x.priority = n.priority AND x.due_at <= n.due_by
            ORDER BY x.due_at, x.id LIMIT (SELECT max(places) FROM n)`
        )} CROSS JOIN message AS r WHERE r.tenant_id = q.tenant_id AND r.id = q.id`
    )
  }
}
