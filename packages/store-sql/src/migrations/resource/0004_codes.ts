import type { Migration } from "../../engine/Migration.ts"
import { documentTable } from "../DocumentTable.ts"

/** Resources that are named by their code. */
export const codes: Migration = {
  id: 4,
  name: "codes",
  statements: (types) => [
    ...documentTable(types, {
      table: "screeningPackage",
      columns: ["name", "active"],
      by: ["name"],
      of: ["active"]
    }),
    ...documentTable(types, {
      table: "complianceCheck",
      columns: ["display_name", "severity", "enabled"],
      by: ["display_name"],
      of: ["severity", "enabled"]
    })
  ]
}
