import type { Migration } from "../../engine/Migration.ts"
import { documentTable } from "../DocumentTable.ts"

export const exemption: Migration = {
  id: 3,
  name: "exemption",
  statements: (types) =>
    documentTable(types, {
      table: "exemption",
      columns: ["worker_id", "applicant_id", "exemption_type", "jurisdiction", "issue_date", "expiry_date"],
      by: ["issue_date", "expiry_date"],
      of: ["worker_id", "applicant_id", "exemption_type", "jurisdiction"]
    })
}
