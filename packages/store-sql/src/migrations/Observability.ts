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
