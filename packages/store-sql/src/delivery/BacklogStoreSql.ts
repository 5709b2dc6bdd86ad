import { BacklogStore, countedMost } from "@wcs/domain/webhook/BacklogStore"
import { Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { dialectOf } from "../engine/Dialect.ts"
import { type At, keep } from "../engine/Query.ts"
import { makeTenantBacklog } from "./TenantBacklogRows.ts"

interface CountRow {
  readonly what: string
  readonly counted: unknown
}

interface FailingRow {
  readonly tenant_id: string
  readonly webhook_id: string
  readonly name: string
  readonly consecutive_failures: unknown
  readonly failing_since: unknown
}

const makeStatements = (sql: SqlClient.SqlClient) => {
  const { indexedBy, isDistributed } = dialectOf(sql)
  const most = sql.literal(String(countedMost))
  const waiting = indexedBy("verification_run_waiting")

  /** Counts the rows of a SELECT, up to the most. Each count is a row, with its name. */
  const count = (what: string, found: Statement.Fragment) =>
    sql`SELECT '${sql.literal(what)}' AS what, count(*) AS counted FROM (SELECT * FROM (${found}) AS f LIMIT ${most}) AS c`

  const events = (state: string) =>
    count(
      state,
      sql`SELECT r.state FROM event AS r${indexedBy("event_unsent")}
        WHERE r.state <> 'sent' AND r.state = '${sql.literal(state)}'`
    )

  /**
   * Open deliveries. They are found through their webhooks, those that have waited longest first, because the index of
   * open deliveries is in the order of webhooks: its first entries are not the first that are due.
   */
  const deliveries = (times: Statement.Fragment, receivers: Statement.Fragment) =>
    sql`SELECT d.due_at FROM (SELECT r.tenant_id, r.webhook_id FROM receiver AS r${indexedBy("receiver_due")}
        WHERE r.next_at ${receivers} ORDER BY r.next_at LIMIT ${most}) AS w
      CROSS JOIN delivery AS d${indexedBy("delivery_waiting")}
      WHERE d.tenant_id = w.tenant_id AND d.webhook_id = w.webhook_id AND d.due_at ${times}`

  /** The queues of runs with a due time. Reads one index entry for each. */
  const queues = sql`q (queue, number) AS (
    SELECT min(r.queue), 1 FROM verification_run AS r${waiting} WHERE r.due_at IS NOT NULL
    UNION ALL
    SELECT (SELECT min(r.queue) FROM verification_run AS r${waiting} WHERE r.due_at IS NOT NULL AND r.queue > q.queue),
      q.number + 1
    FROM q WHERE q.queue IS NOT NULL AND q.number < ${most})`

  const runs = (times: Statement.Fragment) =>
    isDistributed
      ? sql`SELECT r.due_at FROM verification_run AS r WHERE r.due_at ${times}`
      : sql`SELECT r.due_at FROM q CROSS JOIN verification_run AS r${waiting} WHERE r.queue = q.queue AND r.due_at ${times}`

  /** Runs that wait for a person. No index has them, so they are counted among the first rows only. */
  const reviews = sql`SELECT o.due_at FROM (SELECT r.due_at FROM verification_run AS r LIMIT ${most}) AS o
    WHERE o.due_at IS NULL`

  /** Active webhooks whose last attempt failed. */
  const failing = sql`FROM receiver AS r${indexedBy("receiver_failing")}
    JOIN webhook AS w ON w.tenant_id = r.tenant_id AND w.id = r.webhook_id
    WHERE r.failing_since IS NOT NULL AND w.deleted_at IS NULL AND w.status = 'ACTIVE'`

  const union = (counts: ReadonlyArray<Statement.Fragment>) => sql.join(" UNION ALL ", false)(counts)
  const isDue = (at: At<{ now: number }>) => sql`<= ${at("now")}`
  const isLater = (at: At<{ now: number }>) => sql`> ${at("now")}`

  return {
    /** The counts, in several statements: on SQLite, requests run between two of them. */
    counts: [
      keep<{ now: number }, CountRow>(
        sql,
        () =>
          sql`${union([
            events("pending"),
            events("retrying"),
            events("dead"),
            count("failing", sql`SELECT r.failing_since ${failing}`)
          ])} UNION ALL SELECT 'failing since', (SELECT r.failing_since ${failing} ORDER BY r.failing_since LIMIT 1)`
      ),
      keep<{ now: number }, CountRow>(sql, (at) => sql`${count("deliveries due", deliveries(isDue(at), isDue(at)))}`),
      keep<{ now: number }, CountRow>(
        sql,
        (at) => sql`${count("deliveries later", deliveries(isLater(at), sql.literal("IS NOT NULL")))}`
      ),
      keep<{ now: number }, CountRow>(sql, (at) => {
        const both = [count("runs due", runs(isDue(at))), count("runs later", runs(isLater(at)))]
        return isDistributed ? sql`${union(both)}` : sql`WITH RECURSIVE ${queues} ${union(both)}`
      }),
      keep<{ now: number }, CountRow>(sql, () => sql`${count("runs review", reviews)}`)
    ],
    failing: keep<{ limit: number }, FailingRow>(
      sql,
      (at) => sql`SELECT r.tenant_id, r.webhook_id, w.name, r.consecutive_failures, r.failing_since ${failing}
        ORDER BY r.failing_since, r.tenant_id, r.webhook_id LIMIT ${at("limit")}`
    )
  }
}

export const make = Effect.map(SqlClient.SqlClient, (sql) => {
  const { counts, failing } = makeStatements(sql)
  const ofTenant = makeTenantBacklog(sql)
  return BacklogStore.of({
    read: Effect.fn("BacklogStore.read")(function* (now) {
      const rows = yield* Effect.orDie(Effect.forEach(counts, (count) => count({ now })))
      const found = new Map(rows.flat().map(({ counted, what }) => [what, counted]))
      const of = (what: string) => Number(found.get(what) ?? 0)
      const since = found.get("failing since") ?? null
      return {
        events: { pending: of("pending"), retrying: of("retrying"), dead: of("dead") },
        deliveries: { due: of("deliveries due"), later: of("deliveries later") },
        runs: { due: of("runs due"), later: of("runs later"), review: of("runs review") },
        failingWebhooks: of("failing"),
        failingSince: since === null ? null : Number(since)
      }
    }),

    ofTenant: Effect.fn("BacklogStore.ofTenant")((tenantId, now) => ofTenant(tenantId, now)),

    failing: Effect.fn("BacklogStore.failing")((limit) =>
      Effect.map(Effect.orDie(failing({ limit })), (rows) =>
        rows.map((row) => ({
          tenantId: row.tenant_id,
          webhookId: row.webhook_id,
          name: row.name,
          consecutiveFailures: Number(row.consecutive_failures),
          failingSince: Number(row.failing_since)
        }))
      )
    )
  })
})

export const layer = Layer.effect(BacklogStore, make)
