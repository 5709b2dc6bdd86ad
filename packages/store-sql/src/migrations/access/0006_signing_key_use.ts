import type { Migration } from "../../engine/Migration.ts"

/** Separates the legacy surface's signing keys. Existing keys sign access tokens. */
export const signingKeyUse: Migration = {
  id: 6,
  name: "signing_key_use",
  statements: ({ text }) => [`ALTER TABLE signing_key ADD COLUMN use ${text} NOT NULL DEFAULT 'access'`]
}
