import type { ColumnTypes } from "../engine/Dialect.ts"
import { documentTable } from "./DocumentTable.ts"

/** `webhook_living` counts the webhooks that are not deleted, before another one is created. */
const webhooks = (types: ColumnTypes): ReadonlyArray<string> => [
  ...documentTable(types, { table: "webhook", columns: ["name", "status"], by: ["name"], of: ["status"] }),
  "CREATE INDEX webhook_living ON webhook (tenant_id, id) WHERE deleted_at IS NULL",
  `CREATE TABLE subscription (
    tenant_id ${types.text} NOT NULL,
    kind ${types.text} NOT NULL,
    subscriber_id ${types.text} NOT NULL,
    PRIMARY KEY (tenant_id, kind, subscriber_id)
  )${types.tableEnd}`,
  "CREATE INDEX subscription_of_subscriber ON subscription (tenant_id, subscriber_id)"
]

/** A retrying event is taken again at `retry_at`. A dead one is never taken again. */
const events = ({ byTenant, integer, tableEnd, tenantPosition, text }: ColumnTypes): ReadonlyArray<string> => [
  `CREATE TABLE event (
    ${tenantPosition},
    id ${text} NOT NULL,
    kind ${text} NOT NULL,
    subject_id ${text} NOT NULL,
    sequence ${integer} NOT NULL,
    correlation_id ${text},
    data ${text} NOT NULL,
    credential_type ${text},
    jurisdiction ${text},
    at ${integer} NOT NULL,
    state ${text} NOT NULL CHECK (state IN ('pending', 'retrying', 'dead', 'sent')),
    retry_at ${integer},
    CHECK ((state = 'retrying') = (retry_at IS NOT NULL))
  )${tableEnd}`,
  ...byTenant("event"),
  "CREATE INDEX event_unsent ON event (state, retry_at, position, tenant_id) WHERE state <> 'sent'",
  "CREATE INDEX event_sent ON event (at) WHERE state = 'sent'"
]

const deliveries = ({ integer, tableEnd, tenantPosition, text }: ColumnTypes): ReadonlyArray<string> => [
  `CREATE TABLE delivery (
    ${tenantPosition},
    id ${text} NOT NULL,
    webhook_id ${text} NOT NULL,
    event_id ${text} NOT NULL,
    kind ${text} NOT NULL,
    correlation_id ${text},
    state ${text} NOT NULL,
    attempt_count ${integer} NOT NULL,
    failures ${integer} NOT NULL,
    due_at ${integer},
    created_at ${integer} NOT NULL,
    delivered_at ${integer},
    attempts ${text} NOT NULL,
    last_response ${text},
    body ${text} NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, event_id, webhook_id)
  )${tableEnd}`,
  "CREATE INDEX delivery_of_webhook ON delivery (tenant_id, webhook_id, position)",
  "CREATE INDEX delivery_of_state ON delivery (tenant_id, webhook_id, state, position)",
  "CREATE INDEX delivery_by_created_at ON delivery (created_at)",
  "CREATE INDEX delivery_waiting ON delivery (tenant_id, webhook_id, due_at, position) WHERE due_at IS NOT NULL"
]

/**
 * Webhooks with deliveries: their partition and health, and `next_at`, when a worker must read their due deliveries. It
 * is at most the due time of the first waiting delivery or the time of the last settlement, whichever is later.
 */
const receivers = ({ integer, tableEnd, text }: ColumnTypes): ReadonlyArray<string> => [
  `CREATE TABLE receiver (
    tenant_id ${text} NOT NULL,
    webhook_id ${text} NOT NULL,
    partition ${integer} NOT NULL,
    next_at ${integer},
    consecutive_failures ${integer} NOT NULL,
    failing_since ${integer},
    last_success_at ${integer},
    last_failure_at ${integer},
    PRIMARY KEY (tenant_id, webhook_id)
  )${tableEnd}`,
  "CREATE INDEX receiver_due ON receiver (next_at, partition) WHERE next_at IS NOT NULL"
]

/** The partitions that workers lease, and the live workers, by kind of work. */
const leases = ({ integer, tableEnd, text }: ColumnTypes): ReadonlyArray<string> => [
  `CREATE TABLE lease (
    kind ${text} NOT NULL,
    partition ${integer} NOT NULL,
    held_by ${text} NOT NULL,
    held_until ${integer} NOT NULL,
    PRIMARY KEY (kind, partition)
  )${tableEnd}`,
  `CREATE TABLE lease_holder (
    kind ${text} NOT NULL,
    id ${text} NOT NULL,
    live_until ${integer} NOT NULL,
    PRIMARY KEY (kind, id)
  )${tableEnd}`
]

export const deliveryTables = (types: ColumnTypes): ReadonlyArray<string> => [
  ...webhooks(types),
  ...events(types),
  ...deliveries(types),
  ...receivers(types),
  ...leases(types)
]
