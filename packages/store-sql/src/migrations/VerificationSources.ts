import type { Migration } from "../engine/Migration.ts"
import { documentTable } from "./DocumentTable.ts"

/** The tenants' own gateways to registers. */
export const verificationSources: Migration = {
  id: 16,
  name: "verification sources",
  statements: (types) =>
    documentTable(types, {
      table: "verificationSource",
      columns: ["credential_type", "state"],
      by: ["credential_type"],
      of: ["credential_type", "state"]
    })
}
