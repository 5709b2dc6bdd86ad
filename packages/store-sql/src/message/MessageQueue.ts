import { type Priority, priorities, type Queue, type Share } from "@wcs/domain/message/Turns"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { inStatements, keepForBatches } from "../engine/Batch.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { keep } from "../engine/Query.ts"
import type { ResourceRow } from "../resource/ResourceTable.ts"
import { messageTable } from "./MessageRows.ts"

interface QueueRow {
  readonly tenant_id: string
  readonly priority: unknown
  readonly due_at: unknown
}

/** A message of the queue. */
type DueRow = ResourceRow & QueueRow

const priorityFrom = (column: unknown): Priority => priorities.find((one) => one === Number(column)) ?? 2

/** So many due messages are few: their queues are read from them. */
const fewMax = 256

const makeStatements = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const waiting = dialect.indexedBy("message_queue_waiting")
  return {
    /** The first due messages of all. */
    due: keep<{ now: number }, QueueRow>(
      sql,
      (
        at
      ) => sql`SELECT q.tenant_id, q.priority, q.due_at FROM message_queue AS q${dialect.indexedBy("message_queue_by_due_at")}
        WHERE q.due_at <= ${at("now")} ORDER BY q.due_at LIMIT ${sql.literal(String(fewMax))}`
    ),
    /** The first message of each queue. The cost depends on the number of tenants that have messages, and not of messages. */
    queues: keep<object, QueueRow>(sql, () =>
      dialect.isDistributed
        ? sql`SELECT q.tenant_id, q.priority, min(q.due_at) AS due_at FROM message_queue AS q
              GROUP BY q.tenant_id, q.priority`
        : sql`WITH RECURSIVE f (tenant_id) AS (
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
      ({ fieldOf, rows: batch }) => sql<DueRow>`WITH n AS MATERIALIZED (${batch})
        SELECT q.tenant_id, q.priority, q.due_at, ${sql.literal(messageTable.selected)} FROM n ${dialect.joinEach(
          "message_queue",
          "q",
          (columns) => sql`SELECT x.${columns} FROM message_queue AS x${waiting}
            WHERE x.tenant_id = ${fieldOf("tenant")} AND x.priority = n.priority AND x.due_at <= n.due_by
            ORDER BY x.due_at, x.id LIMIT (SELECT max(places) FROM n)`
        )} CROSS JOIN message AS r WHERE r.tenant_id = ${fieldOf("tenant")} AND r.id = q.id`
    )
  }
}

/** Reads the messages that have not ended. */
export const makeQueue = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const { due, firstOf, queues } = makeStatements(sql)

  /** A message that is damaged leaves the queue, so that it stops no other. */
  const decodeDue = (row: DueRow) =>
    Effect.sync(() => ({
      tenantId: row.tenant_id,
      priority: priorityFrom(row.priority),
      message: messageTable.decode(row)
    })).pipe(
      Effect.catchDefect((fault) =>
        Effect.logError("A stored message is damaged, and is not sent.", fault).pipe(
          Effect.annotateLogs({ tenantId: row.tenant_id, messageId: row.id }),
          Effect.andThen(
            Effect.orDie(sql`DELETE FROM message_queue WHERE tenant_id = ${row.tenant_id} AND id = ${row.id}`)
          ),
          Effect.as(undefined)
        )
      )
    )

  return {
    waiting: Effect.fnUntraced(function* (now: number) {
      const some = yield* Effect.orDie(due({ now }))
      const found = some.length < fewMax ? some : yield* Effect.orDie(queues({}))
      const first = new Map<string, Queue>()
      for (const { due_at, priority, tenant_id } of found) {
        const queue = { tenantId: tenant_id, priority: priorityFrom(priority), dueAt: Number(due_at) }
        const key = `${queue.priority} ${tenant_id}`
        if (due_at !== null && queue.dueAt <= now && !first.has(key)) first.set(key, queue)
      }
      return [...first.values()]
    }),
    due: Effect.fnUntraced(function* (shares: ReadonlyArray<Share>, now: number) {
      const wanted = shares.map(({ count, priority, tenantId }) => ({
        tenant: tenantId,
        priority,
        due_by: now,
        places: count
      }))
      const found: Array<DueRow> = []
      for (const batch of inStatements(dialect, wanted, ({ tenant }) => tenant)) {
        found.push(...(yield* Effect.orDie(firstOf(batch))))
      }
      const ordered = found.toSorted((one, other) => Number(one.due_at) - Number(other.due_at))
      return (yield* Effect.forEach(ordered, decodeDue)).flatMap((one) => one ?? [])
    })
  }
}
