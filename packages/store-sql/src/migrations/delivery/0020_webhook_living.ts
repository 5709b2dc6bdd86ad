import type { Migration } from "../../engine/Migration.ts"

/** Indexes the webhooks that are not deleted, to count them before another is created. */
export const webhookLiving: Migration = {
  id: 20,
  name: "webhook_living",
  statements: () => ["CREATE INDEX webhook_living ON webhook (tenant_id, id) WHERE deleted_at IS NULL"]
}
