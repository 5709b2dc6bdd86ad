import { type QueueState, type TenantBacklog, waitingMost } from "@wcs/domain/webhook/BacklogStore"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { dialectOf } from "../engine/Dialect.ts"

interface QueueRow {
  readonly what: string
  readonly waiting: unknown
  readonly since: unknown
}

/** An import that was not changed for this time is late: a worker changes one that it works on every few seconds. */
const restingMillis = 60_000

/** Reads the backlog of one tenant, in several statements: on SQLite, requests run between two of them. */
export const makeTenantBacklog = (sql: SqlClient.SqlClient) => {
  const { indexedBy } = dialectOf(sql)
  const limit = (most: number) => sql.literal(`LIMIT ${most}`)

  /** Pending events are among the newest of the tenant, because the oldest are sent first. */
  const events = (tenantId: string) => sql<QueueRow>`SELECT 'events' AS what, count(*) AS waiting, min(f.at) AS since
    FROM (SELECT r.state, r.at FROM event AS r${indexedBy("event_of_tenant")}
      WHERE r.tenant_id = ${tenantId} ORDER BY r.position DESC ${limit(waitingMost)}) AS f WHERE f.state = 'pending'`

  const deadLetters = (state: "retrying" | "dead") => (tenantId: string) =>
    sql<QueueRow>`SELECT '${sql.literal(state)}' AS what, count(*) AS waiting, NULL AS since
      FROM (SELECT 1 AS one FROM event AS r${indexedBy("event_failed")} WHERE r.tenant_id = ${tenantId}
        AND r.state = '${sql.literal(state)}' AND r.state IN ('retrying', 'dead') ${limit(waitingMost)}) AS f`

  /** One index entry of each webhook tells since when it has a due delivery. */
  const deliveries = (tenantId: string) => sql<QueueRow>`SELECT 'deliveries' AS what,
      (SELECT count(*) FROM (SELECT 1 AS one FROM delivery AS d${indexedBy("delivery_waiting")}
        WHERE d.tenant_id = ${tenantId} AND d.due_at IS NOT NULL ${limit(waitingMost)}) AS c) AS waiting,
      (SELECT min((SELECT min(d.due_at) FROM delivery AS d${indexedBy("delivery_waiting")}
        WHERE d.tenant_id = ${tenantId} AND d.webhook_id = r.webhook_id AND d.due_at IS NOT NULL))
        FROM receiver AS r WHERE r.tenant_id = ${tenantId}) AS since`

  /** The queues of a tenant are neighbours in the index, which has no runs that wait for a person. */
  const verifications = (tenantId: string) => {
    const runs = (further: Statement.Fragment) =>
      sql`FROM verification_run AS r${indexedBy("verification_run_waiting")}
        WHERE r.tenant_id = ${tenantId} AND r.due_at IS NOT NULL AND r.queue < ${`${tenantId}!`} AND ${further}`
    const first = sql`r.queue > ${`${tenantId} `}`
    return sql<QueueRow>`WITH RECURSIVE q (queue) AS (
        SELECT min(r.queue) ${runs(first)}
        UNION ALL SELECT (SELECT min(r.queue) ${runs(sql`r.queue > q.queue`)}) FROM q WHERE q.queue IS NOT NULL)
      SELECT 'verifications' AS what,
        (SELECT count(*) FROM (SELECT 1 AS one ${runs(first)} ${limit(waitingMost)}) AS c) AS waiting,
        (SELECT min((SELECT min(r.due_at) ${runs(sql`r.queue = q.queue`)})) FROM q) AS since`
  }

  const imports = (tenantId: string) => sql<QueueRow>`SELECT 'imports' AS what, count(*) AS waiting,
      min(r.updated_at) + ${sql.literal(String(restingMillis))} AS since FROM import AS r${indexedBy("import_of_status")}
    WHERE r.tenant_id = ${tenantId} AND r.status IN ('CHECKING', 'RUNNING', 'UNDOING')`

  const warned = (tenantId: string) =>
    sql<{ readonly through: string }>`SELECT w.through FROM warned_tenant AS w WHERE w.tenant_id = ${tenantId}`

  return Effect.fnUntraced(function* (tenantId: string, now: number) {
    const found = new Map<string, QueueRow>()
    const all = [events, deadLetters("retrying"), deadLetters("dead"), deliveries, verifications, imports]
    for (const read of all) {
      for (const row of yield* Effect.orDie(read(tenantId))) found.set(row.what, row)
    }
    const [warning] = yield* Effect.orDie(warned(tenantId))
    const countOf = (what: string) => Math.min(Number(found.get(what)?.waiting ?? 0), waitingMost)
    const queueOf = (what: string): QueueState => {
      const since = found.get(what)?.since ?? null
      return { waiting: countOf(what), since: since === null || Number(since) > now ? null : Number(since) }
    }
    return {
      queues: {
        events: queueOf("events"),
        deliveries: queueOf("deliveries"),
        verifications: queueOf("verifications"),
        imports: queueOf("imports")
      },
      deadLetters: { retrying: countOf("retrying"), dead: countOf("dead") },
      warnedThrough: warning?.through ?? null
    } satisfies TenantBacklog
  })
}
