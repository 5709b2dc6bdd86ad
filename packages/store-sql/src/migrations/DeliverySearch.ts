import type { Migration } from "../engine/Migration.ts"

/**
 * The record that each delivery is about, and why the last attempt of a webhook failed. Older deliveries have no subject:
 * to look it up for all would take too long, and they are deleted after their retention.
 */
export const deliverySubjects: Migration = {
  id: 37,
  name: "delivery subjects",
  statements: ({ text }) => [
    `ALTER TABLE receiver ADD COLUMN last_failure ${text}`,
    `ALTER TABLE delivery ADD COLUMN subject_id ${text}`
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
