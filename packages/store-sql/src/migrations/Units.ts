import type { Migration } from "../engine/Migration.ts"
import { documentTable } from "./DocumentTable.ts"

/**
 * Units, and the unit of each person: '' if the person has none. `unit_living` counts those that are not deleted, at a
 * create. The units to which a user is limited are in the role of the account.
 */
export const units: Migration = {
  id: 33,
  name: "units",
  statements: (types) => [
    ...documentTable(types, {
      table: "unit",
      columns: ["name", "external_id", "parent_id"],
      by: ["name", "external_id"],
      of: ["parent_id"]
    }),
    "CREATE INDEX unit_living ON unit (tenant_id, id) WHERE deleted_at IS NULL",
    ...["worker", "applicant"].map(
      (table) => `ALTER TABLE ${table} ADD COLUMN unit_id ${types.text} NOT NULL DEFAULT ''`
    )
  ]
}

const byUnit = (id: number, table: string): Migration => ({
  id,
  name: `${table}s by unit`,
  statements: () => [`CREATE INDEX ${table}_of_unit_id ON ${table} (tenant_id, unit_id, created_at, id)`]
})

/** The people of each unit, in the order of creation. */
export const peopleByUnit: ReadonlyArray<Migration> = [byUnit(34, "worker"), byUnit(35, "applicant")]
