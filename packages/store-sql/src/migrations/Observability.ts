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
 * After an erasure, a delivery keeps no answers. Older deliveries have no subject: to look it up for all would take too
 * long, and they are deleted after their retention.
 */
export const deliverySubjects: Migration = {
  id: 37,
  name: "delivery subjects",
  statements: ({ integer, tableEnd, text }) => [
    `ALTER TABLE receiver ADD COLUMN last_failure ${text}`,
    `ALTER TABLE delivery ADD COLUMN subject_id ${text}`,
    `ALTER TABLE delivery ADD COLUMN keeps_answers ${integer} NOT NULL DEFAULT 1`,
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

/** The deliveries of a tenant by each of their fields. */
export const deliveryIndexes: Migration = {
  id: 38,
  name: "delivery indexes",
  statements: ({ byTenant }) => [
    ...byTenant("delivery"),
    "CREATE INDEX delivery_of_event ON delivery (tenant_id, event_id, position)",
    `CREATE INDEX delivery_of_correlation ON delivery ${isKnown("correlation_id")}`,
    `CREATE INDEX delivery_of_subject ON delivery ${isKnown("subject_id")}`,
    "CREATE INDEX delivery_by_state ON delivery (tenant_id, state, position)",
    "CREATE INDEX delivery_of_kind ON delivery (tenant_id, kind, position)"
  ]
}
