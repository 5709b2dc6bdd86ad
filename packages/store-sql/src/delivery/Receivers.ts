import { isAttempted, type WebhookHealth } from "@wcs/domain/event/WebhookHealth"
import { partitionOf } from "@wcs/domain/lease/Partition"
import type { Instant } from "@wcs/domain/shared/Instant"
import type { WebhookKey } from "@wcs/domain/webhook/DeliveryStore"
import type { SqlClient, Statement } from "effect/sql"
import {
  type BatchColumns,
  type BatchRow,
  inStatements,
  insertAll,
  keepForBatches,
  keepInsert
} from "../engine/Batch.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, type Script } from "../engine/Script.ts"

/** A webhook with deliveries, and its health. */
export interface Receiver extends WebhookKey {
  readonly health: WebhookHealth
}

interface ReceiverRow {
  readonly tenant_id: string
  readonly webhook_id: string
  readonly consecutive_failures: unknown
  readonly failing_since: unknown
  readonly last_success_at: unknown
  readonly last_failure_at: unknown
  readonly last_failure: string | null
}

export const keyOf = ({ tenantId, webhookId }: WebhookKey): string => `${tenantId} ${webhookId}`

/** The distinct keys in lock order, so that transactions cannot deadlock. */
export const inOrder = <Key extends WebhookKey>(keys: ReadonlyArray<Key>): ReadonlyArray<Key> =>
  [...new Map(keys.map((key) => [keyOf(key), key])).values()].sort((one, two) => (keyOf(one) < keyOf(two) ? -1 : 1))

const timeOf = (value: unknown): Instant | null => (value === null ? null : Number(value))

const receiverOf = (row: ReceiverRow): Receiver => ({
  tenantId: row.tenant_id,
  webhookId: row.webhook_id,
  health: {
    consecutiveFailures: Number(row.consecutive_failures),
    failingSince: timeOf(row.failing_since),
    lastSuccessAt: timeOf(row.last_success_at),
    lastFailureAt: timeOf(row.last_failure_at),
    lastFailure: row.last_failure
  }
})

const keyColumns = { tenant: "TEXT", webhook: "TEXT" } as const satisfies BatchColumns

const dueColumns = {
  tenant_id: "TEXT",
  webhook_id: "TEXT",
  partition: "BIGINT",
  next_at: "BIGINT",
  consecutive_failures: "BIGINT"
} as const satisfies BatchColumns

const healthColumns = {
  ...keyColumns,
  consecutive_failures: "BIGINT",
  failing_since: "BIGINT",
  last_success_at: "BIGINT",
  last_failure_at: "BIGINT",
  last_failure: "TEXT"
} as const satisfies BatchColumns

const healthRow = ({ health, tenantId, webhookId }: Receiver) => ({
  tenant: tenantId,
  webhook: webhookId,
  consecutive_failures: health.consecutiveFailures,
  failing_since: health.failingSince,
  last_success_at: health.lastSuccessAt,
  last_failure_at: health.lastFailureAt,
  last_failure: health.lastFailure
})

const makeStatements = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const selected = sql.literal(
    `r.tenant_id, r.webhook_id, r.consecutive_failures, r.failing_since, r.last_success_at, r.last_failure_at,
      r.last_failure`
  )

  const selectOf = (lock: Statement.Fragment) =>
    keepForBatches(
      sql,
      dialect,
      keyColumns,
      ({ rows: batch, fieldOf }) => sql<ReceiverRow>`WITH n AS MATERIALIZED (${batch})
        SELECT ${selected} FROM n CROSS JOIN receiver AS r WHERE r.tenant_id = ${fieldOf("tenant")} AND r.webhook_id = n.webhook
        ORDER BY r.tenant_id, r.webhook_id${lock}`
    )
  const [selectLocked, selectFree] = [selectOf(dialect.forUpdate), selectOf(sql.literal(""))]

  const insertDue = keepInsert(
    sql,
    dueColumns,
    (batch) => sql`${insertAll(sql, "receiver", dueColumns, batch)}
      ON CONFLICT (tenant_id, webhook_id) DO UPDATE SET next_at = excluded.next_at
      WHERE receiver.next_at IS NULL OR excluded.next_at < receiver.next_at`
  )

  const updateOf = <Columns extends BatchColumns>(
    columns: Columns,
    assignmentsOf: (tenant: Statement.Fragment) => Statement.Fragment
  ) =>
    keepForBatches(
      sql,
      dialect,
      columns,
      ({ rows: batch, fieldOf }) => sql`WITH n AS MATERIALIZED (${batch})
        UPDATE receiver SET ${assignmentsOf(fieldOf("tenant"))} FROM n
        WHERE receiver.tenant_id = ${fieldOf("tenant")} AND receiver.webhook_id = n.webhook`
    )
  /** A webhook with more due deliveries queues behind the webhooks that have waited since before this settlement. */
  const nextAt = (tenant: Statement.Fragment) => sql`next_at = (
      SELECT CASE WHEN min(w.due_at) < n.settled_at THEN n.settled_at ELSE min(w.due_at) END
      FROM delivery AS w${dialect.indexedBy("delivery_waiting")}
      WHERE w.tenant_id = ${tenant} AND w.webhook_id = n.webhook AND w.due_at IS NOT NULL
    )`
  const health = sql.literal(
    `consecutive_failures = n.consecutive_failures, failing_since = n.failing_since,
        last_success_at = n.last_success_at, last_failure_at = n.last_failure_at,
        last_failure = n.last_failure`
  )

  return {
    insertDue,
    selectFree,
    selectLocked,
    updateHealth: updateOf(healthColumns, () => health),
    updateSettled: updateOf({ ...healthColumns, settled_at: "BIGINT" }, (tenant) => sql`${health}, ${nextAt(tenant)}`)
  }
}

/**
 * The `receiver` table: the partition and health of each webhook with deliveries, and `next_at`, the time when a worker
 * must read its due deliveries. A transaction that makes a delivery due also updates `next_at`, and a settlement locks
 * the receiver before it reads the due deliveries.
 */
export const makeReceivers = (sql: SqlClient.SqlClient) => {
  const { insertDue, selectFree, selectLocked, updateHealth, updateSettled } = makeStatements(sql)
  const perStatement = <Row extends { readonly tenant: string }>(all: ReadonlyArray<Row>) =>
    inStatements(dialectOf(sql), all, ({ tenant }) => tenant)

  const makeRead = (select: typeof selectFree) =>
    function* (keys: ReadonlyArray<WebhookKey>): Script<ReadonlyArray<Receiver>> {
      const wanted = inOrder(keys).map(({ tenantId, webhookId }) => ({ tenant: tenantId, webhook: webhookId }))
      const found: Array<Receiver> = []
      for (const batch of perStatement(wanted)) found.push(...(yield* rows(select(batch))).map(receiverOf))
      return found
    }

  return {
    read: makeRead(selectFree),
    /** Like `read`, and locks the receivers and their open deliveries until the transaction ends. */
    lock: makeRead(selectLocked),

    /** Records that deliveries of these webhooks are due. */
    due: function* (all: ReadonlyArray<WebhookKey & { readonly dueAt: Instant }>): Script<void> {
      const earlier = [...all].sort((one, two) => two.dueAt - one.dueAt)
      yield* insertDue(
        inOrder(earlier).map(
          ({ dueAt, tenantId, webhookId }): BatchRow<typeof dueColumns> => ({
            tenant_id: tenantId,
            webhook_id: webhookId,
            partition: partitionOf(webhookId),
            next_at: dueAt,
            consecutive_failures: 0
          })
        )
      )
    },

    /** Stores the health of these locked receivers. */
    assessed: function* (all: ReadonlyArray<Receiver>): Script<void> {
      for (const batch of perStatement(all.map(healthRow))) yield* changes(updateHealth(batch))
    },

    /** Stores the health of these locked receivers after a settlement, and when to read their due deliveries. */
    settled: function* (all: ReadonlyArray<Receiver>, now: Instant): Script<void> {
      const settled = all.map((receiver) => ({ ...healthRow(receiver), settled_at: now }))
      for (const batch of perStatement(settled)) yield* changes(updateSettled(batch))
    }
  }
}

/** Changes the health of a webhook that has had an attempt. */
export const makeHealthChange = (sql: SqlClient.SqlClient) => {
  const receivers = makeReceivers(sql)

  return function* (key: WebhookKey, change: (before: WebhookHealth) => WebhookHealth): Script<void> {
    const attempted = (yield* receivers.lock([key])).filter(({ health }) => isAttempted(health))
    yield* receivers.assessed(attempted.map((receiver) => ({ ...receiver, health: change(receiver.health) })))
  }
}

export type Receivers = ReturnType<typeof makeReceivers>
