import type { Migration } from "../engine/Migration.ts"

/**
 * The databases of tenants that are not in the first one, or that move (`cells/Directory.ts`). Only the rows of the first
 * database count. `other` is the second database of a move: its target until the switch, afterwards the one that was left.
 * `claim` is the command that may change the row. `tenant_fence` has the tenants whose rows in this database nobody may change
 * (`cells/Fence.ts`).
 */
export const tenantPlaces: Migration = {
  id: 53,
  name: "tenant places",
  statements: ({ integer, tableEnd, text }) => [
    `CREATE TABLE tenant_place (
      tenant_id ${text} NOT NULL PRIMARY KEY,
      cell ${text} NOT NULL,
      other ${text} NOT NULL,
      step ${text} NOT NULL,
      claim ${text} NOT NULL,
      changed_at ${integer} NOT NULL
    )${tableEnd}`,
    `CREATE TABLE tenant_fence (tenant_id ${text} NOT NULL PRIMARY KEY, claim ${text} NOT NULL)${tableEnd}`
  ]
}
