import type { Migration } from "../../engine/Migration.ts"
import { documentTable } from "../DocumentTable.ts"

export const webhook: Migration = {
  id: 7,
  name: "webhook",
  statements: (types) =>
    documentTable(types, {
      table: "webhook",
      columns: ["name", "status"],
      by: ["name"],
      of: ["status"]
    })
}
