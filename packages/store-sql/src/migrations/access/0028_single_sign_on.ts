import type { Migration } from "../../engine/Migration.ts"
import { documentTable } from "../DocumentTable.ts"

/** Single sign-on: identity providers, single-use records of their logins, and the users of their subjects. */
export const singleSignOn: Migration = {
  id: 28,
  name: "single_sign_on",
  statements: (types) => [
    ...documentTable(types, {
      table: "identityProvider",
      columns: ["name", "kind", "active"],
      by: ["name"],
      of: ["kind", "active"]
    }),
    "CREATE INDEX identityProvider_living ON identityProvider (tenant_id, id) WHERE deleted_at IS NULL",
    `CREATE TABLE sso_ticket (
      tenant_id ${types.text} NOT NULL,
      ticket_key ${types.text} NOT NULL,
      expires_at ${types.integer} NOT NULL,
      PRIMARY KEY (tenant_id, ticket_key)
    )${types.tableEnd}`,
    "CREATE INDEX sso_ticket_by_expiry ON sso_ticket (tenant_id, expires_at)",
    `CREATE TABLE sso_subject (
      tenant_id ${types.text} NOT NULL,
      provider_id ${types.text} NOT NULL,
      subject ${types.text} NOT NULL,
      account_id ${types.text} NOT NULL,
      PRIMARY KEY (tenant_id, provider_id, subject)
    )${types.tableEnd}`,
    "CREATE UNIQUE INDEX sso_subject_of_account ON sso_subject (tenant_id, provider_id, account_id)"
  ]
}
