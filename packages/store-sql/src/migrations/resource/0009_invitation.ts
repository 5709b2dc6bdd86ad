import type { Migration } from "../../engine/Migration.ts"
import { documentTable } from "../DocumentTable.ts"

/** Requests with a deadline in days: recruitment checks and fetch requests. */
export const invitation: Migration = {
  id: 9,
  name: "invitation",
  statements: (types) => [
    ...documentTable(types, {
      table: "credentialCheck",
      columns: ["applicant_id", "screening_package_code", "status", "expiry_date"],
      by: ["expiry_date"],
      of: ["applicant_id", "screening_package_code", "status"]
    }),
    ...documentTable(types, {
      table: "captureRequest",
      columns: ["worker_id", "status", "expiry_date"],
      by: ["expiry_date"],
      of: ["worker_id", "status"]
    })
  ]
}
