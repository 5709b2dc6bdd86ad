import type { Migration } from "../../engine/Migration.ts"

/** The legacy surface's tokens have keys of their own; those that were there before sign access tokens. */
export const signingKeyUse: Migration = {
  id: 6,
  name: "signing_key_use",
  statements: ({ text }) => [`ALTER TABLE signing_key ADD COLUMN use ${text} NOT NULL DEFAULT 'access'`]
}
