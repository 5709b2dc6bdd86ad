import type { Migration } from "../../engine/Migration.ts"

/** The webhooks that are not deleted: they are counted before there is one more. */
export const webhookLiving: Migration = {
  id: 20,
  name: "webhook_living",
  statements: () => ["CREATE INDEX webhook_living ON webhook (tenant_id, id) WHERE deleted_at IS NULL"]
}
