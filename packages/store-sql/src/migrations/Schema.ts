import type { Migration } from "../engine/Migration.ts"
import { accessTables } from "./AccessTables.ts"
import { auditTables } from "./AuditTables.ts"
import { deliveryTables } from "./DeliveryTables.ts"
import { legacyTables } from "./LegacyTables.ts"
import { loginTables } from "./LoginTables.ts"
import { resourceTables } from "./ResourceTables.ts"
import { verificationTables } from "./VerificationTables.ts"

/** The schema of the first release. Names are frozen: a later change of a resource needs a migration of its own. */
export const schema: Migration = {
  id: 1,
  name: "schema",
  statements: (types) => [
    ...resourceTables(types),
    ...accessTables(types),
    ...loginTables(types),
    ...auditTables(types),
    ...deliveryTables(types),
    ...verificationTables(types),
    ...legacyTables(types)
  ]
}
