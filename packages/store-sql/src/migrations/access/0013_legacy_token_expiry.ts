import type { Migration } from "../../engine/Migration.ts"

/** Finds a user's expired tokens, which are deleted when the next one is issued. */
export const legacyTokenExpiry: Migration = {
  id: 13,
  name: "legacy_token_expiry",
  statements: () => ["CREATE INDEX legacy_token_by_expiry ON legacy_token (tenant_id, account_id, expires_at)"]
}
