import type { Migration } from "../../engine/Migration.ts"
import { documentTable } from "../DocumentTable.ts"

export const ban: Migration = {
  id: 5,
  name: "ban",
  statements: (types) =>
    documentTable(types, {
      table: "ban",
      columns: ["worker_id", "register", "eligibility", "checked_at"],
      by: ["checked_at"],
      of: ["worker_id", "register", "eligibility"]
    })
}
