import type { Migration } from "../engine/Migration.ts"
import { documentTable } from "./DocumentTable.ts"

/** The tenants' own gateways to registers. `verificationSource_living` counts those that are not deleted, at a create. */
export const verificationSources: Migration = {
  id: 18,
  name: "verification sources",
  statements: (types) => [
    ...documentTable(types, {
      table: "verificationSource",
      columns: ["credential_type", "state"],
      by: ["credential_type"],
      of: ["credential_type", "state"]
    }),
    "CREATE INDEX verificationSource_living ON verificationSource (tenant_id, id) WHERE deleted_at IS NULL"
  ]
}
