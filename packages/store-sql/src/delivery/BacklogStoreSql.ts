import { BacklogStore, countedMost } from "@wcs/domain/webhook/BacklogStore"
import { Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { dialectOf } from "../engine/Dialect.ts"
import { keep } from "../engine/Query.ts"

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
  const { indexedBy } = dialectOf(sql)
  const most = sql.literal(String(countedMost))

  /** Counts the rows of a SELECT of times by whether they are due. Each count is a row, with its name. */
  const count = (what: string, times: Statement.Fragment, condition: Statement.Fragment) =>
    sql`SELECT '${sql.literal(what)}' AS what, count(*) AS counted
      FROM (SELECT * FROM (${times}) AS f LIMIT ${most}) AS c WHERE ${condition}`

  /** Active webhooks whose last attempt failed. */
  const failing = sql`FROM receiver AS r${indexedBy("receiver_failing")}
    JOIN webhook AS w ON w.tenant_id = r.tenant_id AND w.id = r.webhook_id
    WHERE r.failing_since IS NOT NULL AND w.deleted_at IS NULL AND w.status = 'ACTIVE'`

  const events = (state: string) =>
    count(
      state,
      sql`SELECT r.state FROM event AS r${indexedBy("event_unsent")}
        WHERE r.state <> 'sent' AND r.state = '${sql.literal(state)}'`,
      sql.literal("true")
    )
  const deliveries = sql`SELECT r.due_at FROM delivery AS r${indexedBy("delivery_waiting")} WHERE r.due_at IS NOT NULL`
  const runs = sql.literal("SELECT r.due_at FROM verification_run AS r")

  return {
    counts: keep<{ now: number }, CountRow>(sql, (at) => {
      const isDue = sql`c.due_at <= ${at("now")}`
      const isLater = sql`c.due_at > ${at("now")}`
      return sql`${sql.join(
        " UNION ALL ",
        false
      )([
        events("pending"),
        events("retrying"),
        events("dead"),
        count("deliveries due", deliveries, isDue),
        count("deliveries later", deliveries, isLater),
        count("runs due", runs, isDue),
        count("runs later", runs, isLater),
        count("runs review", runs, sql.literal("c.due_at IS NULL")),
        count("failing", sql`SELECT r.failing_since ${failing}`, sql.literal("true"))
      ])} UNION ALL SELECT 'failing since', (SELECT r.failing_since ${failing} ORDER BY r.failing_since LIMIT 1)`
    }),
    failing: keep<{ limit: number }, FailingRow>(
      sql,
      (at) => sql`SELECT r.tenant_id, r.webhook_id, w.name, r.consecutive_failures, r.failing_since ${failing}
        ORDER BY r.failing_since, r.tenant_id, r.webhook_id LIMIT ${at("limit")}`
    )
  }
}

export const make = Effect.map(SqlClient.SqlClient, (sql) => {
  const { counts, failing } = makeStatements(sql)
  return BacklogStore.of({
    read: Effect.fn("BacklogStore.read")(function* (now) {
      const found = new Map((yield* Effect.orDie(counts({ now }))).map(({ counted, what }) => [what, counted]))
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

export const layer: Layer.Layer<BacklogStore, never, SqlClient.SqlClient> = Layer.effect(BacklogStore, make)
