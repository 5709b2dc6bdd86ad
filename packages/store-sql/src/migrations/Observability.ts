import type { Migration } from "../engine/Migration.ts"

/** The `traceparent` of the call that caused an event, a delivery or a run. Null if the call was not traced. */
const traceparents = ["event", "delivery", "verification_run"]

/** Also an index of the failing webhooks. `failing_since` only changes when a webhook begins or ends to fail. */
export const observability: Migration = {
  id: 2,
  name: "observability",
  statements: ({ text }) => [
    ...traceparents.map((table) => `ALTER TABLE ${table} ADD COLUMN traceparent ${text}`),
    "CREATE INDEX receiver_failing ON receiver (failing_since, tenant_id, webhook_id) WHERE failing_since IS NOT NULL"
  ]
}

/**
 * The record that each delivery is about, what its attempts sent and got, and why the last attempt of a webhook failed.
 * Events and deliveries about an erased person keep no answers. Where somebody was erased already, no open one does.
 * Older deliveries have no subject: to look it up for all would take too long, and they are deleted after their
 * retention.
 */
export const deliverySubjects: Migration = {
  id: 37,
  name: "delivery subjects",
  statements: ({ integer, tableEnd, text }) => [
    `ALTER TABLE receiver ADD COLUMN last_failure ${text}`,
    `ALTER TABLE delivery ADD COLUMN subject_id ${text}`,
    `ALTER TABLE delivery ADD COLUMN keeps_answers ${integer} NOT NULL DEFAULT 1`,
    `ALTER TABLE event ADD COLUMN keeps_answers ${integer} NOT NULL DEFAULT 1`,
    ...Object.entries({ delivery: "state <> 'DELIVERED'", event: "state <> 'sent'" }).map(
      ([table, isOpen]) => `UPDATE ${table} SET keeps_answers = 0 WHERE ${isOpen}
        AND tenant_id IN (SELECT e.tenant_id FROM erasure AS e WHERE e.status <> 'ANNOUNCED')`
    ),
    `CREATE TABLE delivery_exchange (
      tenant_id ${text} NOT NULL,
      delivery_id ${text} NOT NULL,
      number ${integer} NOT NULL,
      request_headers ${text} NOT NULL,
      response_headers ${text} NOT NULL,
      response_body ${text},
      PRIMARY KEY (tenant_id, delivery_id, number)
    )${tableEnd}`
  ]
}

const isKnown = (column: string) => `(tenant_id, ${column}, position) WHERE ${column} IS NOT NULL`

/** The deliveries of a tenant, and of each event. */
export const deliveryIndexes: Migration = {
  id: 38,
  name: "delivery indexes",
  statements: ({ byTenant }) => [
    ...byTenant("delivery"),
    "CREATE INDEX delivery_of_event ON delivery (tenant_id, event_id, position)"
  ]
}

/** The dead letters of each tenant, to count them. Events that are sent at the first attempt are not in it. */
export const deadLetters: Migration = {
  id: 51,
  name: "dead letters",
  statements: () => [
    "CREATE INDEX event_failed ON event (tenant_id, state, position) WHERE state IN ('retrying', 'dead')"
  ]
}

/** Failed deliveries of a tenant by state and kind. A delivery that arrives at the first attempt is never in it. */
export const failedDeliveries: Migration = {
  id: 52,
  name: "failed deliveries",
  statements: () => [
    `CREATE INDEX delivery_failed ON delivery (tenant_id, state, kind, position)
      WHERE state IN ('FAILED_RETRYABLE', 'EXHAUSTED', 'SKIPPED_DISABLED')`
  ]
}

/** Deliveries that have not arrived, waiting ones too. It replaces the index of failed ones. */
export const openDeliveries: Migration = {
  id: 59,
  name: "open deliveries",
  statements: () => [
    "CREATE INDEX delivery_open ON delivery (tenant_id, state, kind, position) WHERE state <> 'DELIVERED'"
  ]
}

/** A migration of its own: with the lock of the one before, it could deadlock with a transaction that reads and writes. */
export const noFailedDeliveries: Migration = {
  id: 60,
  name: "no index of failed deliveries",
  statements: () => ["DROP INDEX delivery_failed"]
}

const byField = (id: number, index: string, keys: string): Migration => ({
  id,
  name: index,
  statements: () => [`CREATE INDEX IF NOT EXISTS ${index} ON delivery ${keys}`]
})

/**
 * The deliveries by their other fields. Each index is a migration of its own: Postgres blocks writes of deliveries while it
 * creates one. Builds between releases created all of them with migration 38.
 */
export const deliveriesByField: ReadonlyArray<Migration> = [
  byField(61, "delivery_of_correlation", isKnown("correlation_id")),
  byField(62, "delivery_of_subject", isKnown("subject_id")),
  byField(63, "delivery_by_state", "(tenant_id, state, position)"),
  byField(64, "delivery_of_webhook_kind", "(tenant_id, webhook_id, kind, position)"),
  byField(65, "delivery_of_kind", "(tenant_id, kind, position)")
]
