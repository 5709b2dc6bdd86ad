import type { Migration } from "../Migration.ts"

/**
 * A worker holds receivers, and no longer each delivery of them. What was claimed when a worker of before went away is due
 * when its lease says; a worker of before that still runs claims nothing from then on.
 */
export const deliveryHold: Migration = {
  id: 22,
  name: "delivery_hold",
  statements: ({ text }) => [
    `ALTER TABLE receiver ADD COLUMN held_by ${text}`,
    "DROP INDEX delivery_waiting",
    "DROP INDEX delivery_claimed",
    "ALTER TABLE delivery DROP COLUMN lease",
    "CREATE INDEX delivery_waiting ON delivery (tenant_id, webhook_id, due_at, position) WHERE due_at IS NOT NULL"
  ]
}
