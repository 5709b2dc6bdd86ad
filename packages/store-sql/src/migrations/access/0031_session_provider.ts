import type { Migration } from "../../engine/Migration.ts"

/** The identity provider of a session. Older sessions have none; they end within 12 hours. */
export const sessionProvider: Migration = {
  id: 31,
  name: "session_provider",
  statements: ({ text }) => [`ALTER TABLE session ADD COLUMN provider_id ${text}`]
}
