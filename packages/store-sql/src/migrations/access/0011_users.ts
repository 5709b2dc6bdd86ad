import type { ColumnTypes } from "../../engine/Dialect.ts"
import type { Migration } from "../../engine/Migration.ts"

/** Data of people and their organization for the legacy surface. */
const people = ({ integer, text }: ColumnTypes): ReadonlyArray<string> => [
  `ALTER TABLE account ADD COLUMN first_name ${text} NOT NULL DEFAULT ''`,
  `ALTER TABLE account ADD COLUMN surname ${text} NOT NULL DEFAULT ''`,
  `ALTER TABLE account ADD COLUMN password_hash ${text}`,
  `ALTER TABLE account ADD COLUMN verified_at ${integer}`,
  "CREATE INDEX account_of_tenant ON account (tenant_id, position)",
  `ALTER TABLE tenant ADD COLUMN abn ${text} NOT NULL DEFAULT ''`
]

const legacyToken = ({ integer, tableEnd, text }: ColumnTypes): ReadonlyArray<string> => [
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
  "CREATE INDEX legacy_token_unrevoked ON legacy_token (tenant_id, account_id) WHERE revoked_at IS NULL"
]

const scan = ({ integer, tableEnd, text }: ColumnTypes): ReadonlyArray<string> => [
  `CREATE TABLE scan (
    tenant_id ${text} NOT NULL,
    correlation_id ${text} NOT NULL,
    credential_type ${text} NOT NULL,
    identifier ${text} NOT NULL,
    first_name ${text} NOT NULL,
    surname ${text} NOT NULL,
    outcome ${text} NOT NULL,
    credential_id ${text},
    account ${text} NOT NULL,
    request_id ${text} NOT NULL,
    at ${integer} NOT NULL,
    PRIMARY KEY (tenant_id, correlation_id)
  )${tableEnd}`
]

/** A scan finds a credential by its identifier. Existing credentials have it in their documents. */
const identifier = ({ json, text }: ColumnTypes): ReadonlyArray<string> => [
  `ALTER TABLE credential ADD COLUMN identifier ${text} NOT NULL DEFAULT ''`,
  `UPDATE credential SET identifier = COALESCE(${json("document")} -> 'attributes' ->> 'identifier', '')`,
  "CREATE INDEX credential_of_identifier ON credential (tenant_id, identifier, created_at, id)"
]

/** Users with names and passwords, their legacy tokens, and their scans. */
export const users: Migration = {
  id: 11,
  name: "users",
  statements: (types) => [...people(types), ...legacyToken(types), ...scan(types), ...identifier(types)]
}
