import type { Migration } from "../engine/Migration.ts"

/** Years for which a tenant keeps workers who have left; null: for ever. */
export const retention: Migration = {
  id: 25,
  name: "retention",
  statements: ({ integer }) => [`ALTER TABLE tenant ADD COLUMN retention_years ${integer}`]
}
