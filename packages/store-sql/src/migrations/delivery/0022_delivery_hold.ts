import type { Migration } from "../../engine/Migration.ts"

/**
 * Workers lease webhooks and no longer each delivery. A delivery claimed before is due again when its lease expires. A
 * worker of an older version claims and settles nothing from then on.
 */
export const deliveryHold: Migration = {
  id: 22,
  name: "delivery_hold",
  statements: ({ integer, text }) => [
    `ALTER TABLE receiver ADD COLUMN held_by ${text}`,
    `ALTER TABLE receiver ADD COLUMN held_until ${integer}`,
    "DROP INDEX delivery_waiting",
    "DROP INDEX delivery_claimed",
    "ALTER TABLE delivery DROP COLUMN lease",
    "CREATE INDEX delivery_waiting ON delivery (tenant_id, webhook_id, due_at, position) WHERE due_at IS NOT NULL",
    `UPDATE receiver SET due_at = (SELECT min(d.due_at) FROM delivery AS d
      WHERE d.tenant_id = receiver.tenant_id AND d.webhook_id = receiver.webhook_id AND d.due_at IS NOT NULL)`
  ]
}
