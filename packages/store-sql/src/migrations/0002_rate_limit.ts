import type { Migration } from "../engine/Migration.ts"

/** An account's own rate limit, `{"calls":20,"windowSeconds":2}`; none for existing accounts. */
export const rateLimit: Migration = {
  id: 2,
  name: "rate_limit",
  statements: ({ text }) => [`ALTER TABLE account ADD COLUMN rate_limit ${text}`]
}
