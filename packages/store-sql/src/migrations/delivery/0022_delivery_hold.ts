import type { Migration } from "../../engine/Migration.ts"

/**
 * A worker holds receivers, and no longer each delivery of them. What was claimed is due again when its lease says, whether
 * its worker is gone or runs still: one of before claims and settles nothing from then on.
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
