import type { Migration } from "../engine/Migration.ts"

/** An account may have a limit of its own, `{"calls":20,"windowSeconds":2}`; those that were there before have none. */
export const rateLimit: Migration = {
  id: 2,
  name: "rate_limit",
  statements: ({ text }) => [`ALTER TABLE account ADD COLUMN rate_limit ${text}`]
}
