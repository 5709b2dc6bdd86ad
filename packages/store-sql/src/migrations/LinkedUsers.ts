import type { Migration } from "../engine/Migration.ts"

/** The worker that a user is, who may not verify the own cards. */
export const linkedUsers: Migration = {
  id: 16,
  name: "linked users",
  statements: ({ text }) => [`ALTER TABLE account ADD COLUMN worker_id ${text}`]
}
