import type { Migration } from "../../engine/Migration.ts"

/**
 * Deliveries, and the webhooks that have any (`receiver`). Claimed and waiting deliveries have separate indexes, since
 * each claim counts a webhook's claimed ones. Older events stay unsent.
 */
export const delivery: Migration = {
  id: 18,
  name: "delivery",
  statements: ({ integer, keyByTenant, position, tableEnd, text }) => [
    `ALTER TABLE event ADD COLUMN credential_type ${text}`,
    `ALTER TABLE event ADD COLUMN jurisdiction ${text}`,
    `ALTER TABLE event ADD COLUMN waiting ${integer}`,
    "CREATE INDEX event_waiting ON event (position, tenant_id) WHERE waiting IS NOT NULL",
    "CREATE INDEX event_sent ON event (at) WHERE waiting IS NULL",
    `CREATE TABLE delivery (
      position ${position},
      tenant_id ${text} NOT NULL,
      id ${text} NOT NULL,
      webhook_id ${text} NOT NULL,
      event_id ${text} NOT NULL,
      kind ${text} NOT NULL,
      correlation_id ${text},
      state ${text} NOT NULL,
      attempt_count ${integer} NOT NULL,
      failures ${integer} NOT NULL,
      due_at ${integer},
      lease ${text},
      created_at ${integer} NOT NULL,
      delivered_at ${integer},
      attempts ${text} NOT NULL,
      last_response ${text},
      body ${text} NOT NULL,
      UNIQUE (tenant_id, id),
      UNIQUE (tenant_id, event_id, webhook_id)
    )${tableEnd}`,
    ...keyByTenant("delivery"),
    "CREATE INDEX delivery_of_webhook ON delivery (tenant_id, webhook_id, position)",
    "CREATE INDEX delivery_of_state ON delivery (tenant_id, webhook_id, state, position)",
    "CREATE INDEX delivery_by_created_at ON delivery (created_at)",
    `CREATE INDEX delivery_waiting ON delivery (tenant_id, webhook_id, due_at, position)
      WHERE lease IS NULL AND due_at IS NOT NULL`,
    "CREATE INDEX delivery_claimed ON delivery (tenant_id, webhook_id, due_at, position) WHERE lease IS NOT NULL",
    `CREATE TABLE receiver (
      tenant_id ${text} NOT NULL,
      webhook_id ${text} NOT NULL,
      due_at ${integer},
      served_at ${integer} NOT NULL,
      consecutive_failures ${integer} NOT NULL,
      failing_since ${integer},
      last_success_at ${integer},
      last_failure_at ${integer},
      PRIMARY KEY (tenant_id, webhook_id)
    )${tableEnd}`,
    "CREATE INDEX receiver_due ON receiver (due_at, served_at) WHERE due_at IS NOT NULL"
  ]
}
