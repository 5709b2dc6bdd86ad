import type { ColumnTypes } from "../engine/Dialect.ts"

/** `legacy_token_by_expiry` finds a user's expired tokens, which are deleted when the next one is issued. */
const tokens = ({ integer, tableEnd, text }: ColumnTypes): ReadonlyArray<string> => [
  `CREATE TABLE legacy_token (
    tenant_id ${text} NOT NULL,
    id ${text} NOT NULL,
    account_id ${text} NOT NULL,
    issued_at ${integer} NOT NULL,
    expires_at ${integer} NOT NULL,
    revoked_at ${integer},
    PRIMARY KEY (tenant_id, id)
  )${tableEnd}`,
  "CREATE INDEX legacy_token_of_account ON legacy_token (tenant_id, account_id, id)",
  "CREATE INDEX legacy_token_unrevoked ON legacy_token (tenant_id, account_id) WHERE revoked_at IS NULL",
  "CREATE INDEX legacy_token_by_expiry ON legacy_token (tenant_id, account_id, expires_at)"
]

const scans = ({ byTenant, integer, tableEnd, tenantPosition, text }: ColumnTypes): ReadonlyArray<string> => [
  `CREATE TABLE scan (
    ${tenantPosition},
    correlation_id ${text} NOT NULL,
    credential_type ${text} NOT NULL,
    identifier ${text} NOT NULL,
    first_name ${text} NOT NULL,
    surname ${text} NOT NULL,
    status ${text} NOT NULL,
    outcome ${text} NOT NULL,
    credential_id ${text},
    account ${text} NOT NULL,
    request_id ${text} NOT NULL,
    at ${integer} NOT NULL
  )${tableEnd}`,
  ...byTenant("scan"),
  "CREATE INDEX scan_of_correlation ON scan (tenant_id, correlation_id, position)",
  "CREATE INDEX scan_of_identifier ON scan (tenant_id, identifier, position)",
  "CREATE INDEX scan_of_credential ON scan (tenant_id, credential_id, position)",
  "CREATE INDEX scan_of_status ON scan (tenant_id, status, position)"
]

export const legacyTables = (types: ColumnTypes): ReadonlyArray<string> => [...tokens(types), ...scans(types)]
