import type { Instant } from "@wcs/domain/shared/Instant"
import type { WebhookHealth } from "@wcs/domain/webhook/WebhookHealth"
import type { SqlClient, Statement } from "effect/sql"
import { type BatchColumns, type BatchRow, insertInto, keepForBatches, keepInsert } from "../engine/Batch.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, type Script } from "../engine/Script.ts"

/** The key of a webhook. */
export interface ReceiverKey {
  readonly tenantId: string
  readonly webhookId: string
}

/** A webhook, and when a delivery of it was last claimed. */
export interface Turn extends ReceiverKey {
  readonly servedAt: Instant
}

/** A webhook with deliveries: its lease and its health. */
export interface Receiver extends ReceiverKey {
  readonly leasedBy: string | null
  readonly leasedUntil: Instant | null
  readonly health: WebhookHealth
}

interface ReceiverRow {
  readonly tenant_id: string
  readonly webhook_id: string
  readonly leased_by: string | null
  readonly leased_until: unknown
  readonly consecutive_failures: unknown
  readonly failing_since: unknown
  readonly last_success_at: unknown
  readonly last_failure_at: unknown
}

export const keyOf = ({ tenantId, webhookId }: ReceiverKey): string => `${tenantId} ${webhookId}`

/** The distinct keys in lock order, so that transactions cannot deadlock. */
export const inOrder = <Key extends ReceiverKey>(keys: ReadonlyArray<Key>): ReadonlyArray<Key> =>
  [...new Map(keys.map((key) => [keyOf(key), key])).values()].sort((one, two) => (keyOf(one) < keyOf(two) ? -1 : 1))

const timeOf = (value: unknown): Instant | null => (value === null ? null : Number(value))

const receiverOf = (row: ReceiverRow): Receiver => ({
  tenantId: row.tenant_id,
  webhookId: row.webhook_id,
  leasedBy: row.leased_by,
  leasedUntil: timeOf(row.leased_until),
  health: {
    consecutiveFailures: Number(row.consecutive_failures),
    failingSince: timeOf(row.failing_since),
    lastSuccessAt: timeOf(row.last_success_at),
    lastFailureAt: timeOf(row.last_failure_at)
  }
})

const keyColumns = { tenant: "TEXT", webhook: "TEXT" } as const satisfies BatchColumns

const dueColumns = {
  tenant_id: "TEXT",
  webhook_id: "TEXT",
  claim_at: "BIGINT",
  served_at: "BIGINT",
  consecutive_failures: "BIGINT"
} as const satisfies BatchColumns

const turnColumns = { ...keyColumns, served_at: "BIGINT" } as const satisfies BatchColumns

const leaseColumns = { ...turnColumns, holder: "TEXT", leased_until: "BIGINT" } as const satisfies BatchColumns

const healthColumns = {
  ...keyColumns,
  consecutive_failures: "BIGINT",
  failing_since: "BIGINT",
  last_success_at: "BIGINT",
  last_failure_at: "BIGINT"
} as const satisfies BatchColumns

const turnRow = ({ servedAt, tenantId, webhookId }: Turn) => ({
  tenant: tenantId,
  webhook: webhookId,
  served_at: servedAt
})

/** The rows as a non-empty list; undefined when there are none. */
const several = <Row>(all: ReadonlyArray<Row>): readonly [Row, ...ReadonlyArray<Row>] | undefined => {
  const [first, ...others] = all
  return first === undefined ? undefined : [first, ...others]
}

const makeStatements = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const selected = sql.literal(
    `r.tenant_id, r.webhook_id, r.leased_by, r.leased_until, r.consecutive_failures, r.failing_since, r.last_success_at,
      r.last_failure_at`
  )

  const selectOf = (lock: Statement.Fragment) =>
    keepForBatches(
      sql,
      dialect,
      keyColumns,
      ({ rows: batch }) => sql<ReceiverRow>`WITH n AS MATERIALIZED (${batch})
        SELECT ${selected} FROM n CROSS JOIN receiver AS r WHERE r.tenant_id = n.tenant AND r.webhook_id = n.webhook
        ORDER BY r.tenant_id, r.webhook_id${lock}`
    )
  const [selectLocked, selectFree] = [selectOf(dialect.forUpdate), selectOf(sql.literal(""))]

  const insertDue = keepInsert(
    sql,
    dueColumns,
    (batch) => sql`${insertInto(sql, "receiver", dueColumns, batch, sql.literal("true"))}
      ON CONFLICT (tenant_id, webhook_id) DO UPDATE SET claim_at = excluded.claim_at
      WHERE receiver.leased_by IS NULL AND (receiver.claim_at IS NULL OR excluded.claim_at < receiver.claim_at)`
  )

  const updateOf = <Columns extends BatchColumns>(columns: Columns, assignments: Statement.Fragment) =>
    keepForBatches(
      sql,
      dialect,
      columns,
      ({ rows: batch }) => sql`WITH n AS MATERIALIZED (${batch}) UPDATE receiver SET ${assignments} FROM n
        WHERE receiver.tenant_id = n.tenant AND receiver.webhook_id = n.webhook`
    )
  const updateLeased = updateOf(
    leaseColumns,
    sql.literal(
      "leased_by = n.holder, leased_until = n.leased_until, claim_at = n.leased_until, served_at = n.served_at"
    )
  )
  /** A webhook served after its next delivery became due queues behind webhooks that have waited since then. */
  const updateReleased = updateOf(
    turnColumns,
    sql`leased_by = NULL, leased_until = NULL, served_at = n.served_at, claim_at = (
      SELECT CASE WHEN min(w.due_at) < n.served_at THEN n.served_at ELSE min(w.due_at) END
      FROM delivery AS w${dialect.indexedBy("delivery_waiting")}
      WHERE w.tenant_id = n.tenant AND w.webhook_id = n.webhook AND w.due_at IS NOT NULL
    )`
  )
  const updateHealth = updateOf(
    healthColumns,
    sql.literal(
      `consecutive_failures = n.consecutive_failures, failing_since = n.failing_since,
        last_success_at = n.last_success_at, last_failure_at = n.last_failure_at`
    )
  )

  return { insertDue, selectFree, selectLocked, updateHealth, updateLeased, updateReleased }
}

/**
 * The `receiver` table: per webhook with deliveries its lease, its health, and `claim_at`, when a claim has to look
 * at it. While leased, that is the end of the lease. Otherwise it is never later than the first due delivery: a
 * transaction that makes a delivery due also updates `claim_at`, and a release locks the receiver before it reads what
 * is due.
 */
export const makeReceivers = (sql: SqlClient.SqlClient) => {
  const { insertDue, selectFree, selectLocked, updateHealth, updateLeased, updateReleased } = makeStatements(sql)

  const makeRead = (select: typeof selectFree) =>
    function* (keys: ReadonlyArray<ReceiverKey>): Script<ReadonlyArray<Receiver>> {
      const batch = several(inOrder(keys).map(({ tenantId, webhookId }) => ({ tenant: tenantId, webhook: webhookId })))
      if (batch === undefined) return []
      return (yield* rows(select(batch))).map(receiverOf)
    }

  return {
    read: makeRead(selectFree),
    /** Like `read`, and locks the receivers and their open deliveries until the transaction ends. */
    lock: makeRead(selectLocked),

    /** Records that deliveries of these webhooks are due. */
    due: function* (all: ReadonlyArray<ReceiverKey & { readonly dueAt: Instant }>): Script<void> {
      const earlier = [...all].sort((one, two) => two.dueAt - one.dueAt)
      yield* insertDue(
        inOrder(earlier).map(
          ({ dueAt, tenantId, webhookId }): BatchRow<typeof dueColumns> => ({
            tenant_id: tenantId,
            webhook_id: webhookId,
            claim_at: dueAt,
            served_at: 0,
            consecutive_failures: 0
          })
        )
      )
    },

    /** Leases these locked receivers until a time. */
    lease: function* (all: ReadonlyArray<Turn>, holder: string, until: Instant): Script<void> {
      const batch = several(all.map((turn) => ({ ...turnRow(turn), holder, leased_until: until })))
      if (batch !== undefined) yield* changes(updateLeased(batch))
    },

    /** Releases the leases of these locked receivers. */
    release: function* (all: ReadonlyArray<Turn>): Script<void> {
      const batch = several(all.map(turnRow))
      if (batch !== undefined) yield* changes(updateReleased(batch))
    },

    /** Stores the health of these locked receivers. */
    assessed: function* (all: ReadonlyArray<Pick<Receiver, "tenantId" | "webhookId" | "health">>): Script<void> {
      const batch = several(
        all.map(({ health, tenantId, webhookId }) => ({
          tenant: tenantId,
          webhook: webhookId,
          consecutive_failures: health.consecutiveFailures,
          failing_since: health.failingSince,
          last_success_at: health.lastSuccessAt,
          last_failure_at: health.lastFailureAt
        }))
      )
      if (batch !== undefined) yield* changes(updateHealth(batch))
    }
  }
}

export type Receivers = ReturnType<typeof makeReceivers>
