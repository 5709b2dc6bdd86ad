import type { ColumnTypes } from "../engine/Dialect.ts"
import { documentTable } from "./DocumentTable.ts"

const sessions = ({ byTenant, integer, tableEnd, tenantPosition, text }: ColumnTypes): ReadonlyArray<string> => [
  `CREATE TABLE session (
    ${tenantPosition},
    id ${text} NOT NULL,
    account_id ${text} NOT NULL,
    token_hash ${text} NOT NULL,
    method ${text} NOT NULL,
    provider_id ${text},
    user_agent ${text} NOT NULL,
    created_at ${integer} NOT NULL,
    authenticated_at ${integer} NOT NULL,
    seen_at ${integer} NOT NULL,
    expires_at ${integer} NOT NULL,
    revoked_at ${integer},
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, token_hash)
  )${tableEnd}`,
  ...byTenant("session"),
  "CREATE INDEX session_of_account ON session (tenant_id, account_id, position)",
  `CREATE TABLE second_factor (
    tenant_id ${text} NOT NULL,
    account_id ${text} NOT NULL,
    sealed_seed ${text} NOT NULL,
    created_at ${integer} NOT NULL,
    confirmed_at ${integer},
    last_step ${integer} NOT NULL,
    recovery_hashes ${text} NOT NULL,
    failures ${text} NOT NULL,
    PRIMARY KEY (tenant_id, account_id)
  )${tableEnd}`
]

/** Identity providers, single-use records of their logins, and the users of their subjects. */
const singleSignOn = (types: ColumnTypes): ReadonlyArray<string> => {
  const { integer, tableEnd, text } = types
  return [
    ...documentTable(types, {
      table: "identityProvider",
      columns: ["name", "kind", "active"],
      by: ["name"],
      of: ["kind", "active"]
    }),
    "CREATE INDEX identityProvider_living ON identityProvider (tenant_id, id) WHERE deleted_at IS NULL",
    `CREATE TABLE sso_ticket (
      tenant_id ${text} NOT NULL,
      ticket_key ${text} NOT NULL,
      expires_at ${integer} NOT NULL,
      PRIMARY KEY (tenant_id, ticket_key)
    )${tableEnd}`,
    "CREATE INDEX sso_ticket_by_expiry ON sso_ticket (tenant_id, expires_at)",
    `CREATE TABLE sso_subject (
      tenant_id ${text} NOT NULL,
      provider_id ${text} NOT NULL,
      subject ${text} NOT NULL,
      account_id ${text} NOT NULL,
      PRIMARY KEY (tenant_id, provider_id, subject)
    )${tableEnd}`,
    "CREATE UNIQUE INDEX sso_subject_of_account ON sso_subject (tenant_id, provider_id, account_id)"
  ]
}

export const loginTables = (types: ColumnTypes): ReadonlyArray<string> => [...sessions(types), ...singleSignOn(types)]
