import { countedMax, type WebhookBacklog } from "@wcs/domain/webhook/WebhookBacklog"
import { Array as Arr, Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { keepForBatches } from "../engine/Batch.ts"
import { dialectOf } from "../engine/Dialect.ts"

interface BacklogRow {
  readonly webhook: string
  readonly waiting: unknown
  readonly exhausted: unknown
}

/** The most webhooks of one statement. It reads up to `countedMax` index entries twice for each. */
const together = 5

/** Reads how much of webhooks is not delivered, and which of them fail. */
export const makeBacklogs = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)

  /** The number of a webhook's deliveries that meet a condition, up to `countedMax`. */
  const count = (tenant: Statement.Fragment, index: string, which: Statement.Fragment) =>
    sql`(SELECT count(*) FROM (SELECT 1 AS one FROM delivery AS d${dialect.indexedBy(index)}
      WHERE d.tenant_id = ${tenant} AND d.webhook_id = n.webhook AND ${which}
      LIMIT ${sql.literal(String(countedMax))}) AS c)`

  const backlog = keepForBatches(
    sql,
    dialect,
    { tenant: "TEXT", webhook: "TEXT" },
    ({ rows: batch, fieldOf }) => sql<BacklogRow>`WITH n AS MATERIALIZED (${batch})
      SELECT n.webhook, ${count(fieldOf("tenant"), "delivery_waiting", sql`d.due_at IS NOT NULL`)} AS waiting,
        ${count(fieldOf("tenant"), "delivery_of_state", sql`d.state = 'EXHAUSTED'`)} AS exhausted FROM n`
  )

  return {
    of: (tenantId: string, webhookIds: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, WebhookBacklog>> => {
      const [first, ...others] = webhookIds.map((webhook) => ({ tenant: tenantId, webhook }))
      if (first === undefined) return Effect.succeed(new Map())
      // Several statements: on SQLite, requests run between two of them.
      return Effect.forEach(Arr.chunksOf([first, ...others] as const, together), backlog).pipe(
        Effect.orDie,
        Effect.map(
          (chunks) =>
            new Map(
              chunks
                .flat()
                .map(({ exhausted, waiting, webhook }) => [
                  webhook,
                  { waiting: Number(waiting), exhausted: Number(exhausted) }
                ])
            )
        )
      )
    },

    failing: (tenantId: string): Effect.Effect<ReadonlyArray<string>> =>
      sql<{ readonly webhook_id: string }>`SELECT r.webhook_id FROM receiver AS r
        JOIN webhook AS w ON w.tenant_id = r.tenant_id AND w.id = r.webhook_id
        WHERE r.tenant_id = ${tenantId} AND r.failing_since IS NOT NULL AND w.deleted_at IS NULL AND w.status = 'ACTIVE'`.pipe(
        Effect.orDie,
        Effect.map((found) => found.map(({ webhook_id }) => webhook_id))
      )
  }
}
