import type { ColumnTypes } from "../engine/Dialect.ts"
import type { Migration } from "../engine/Migration.ts"
import { type DocumentTable, documentTable } from "./DocumentTable.ts"

const worker: DocumentTable = {
  table: "worker",
  columns: ["external_id", "source_system", "display_name", "last_name"],
  by: ["external_id", "display_name", "last_name"],
  of: ["source_system"]
}

const applicant: DocumentTable = {
  table: "applicant",
  columns: ["external_id", "source_system", "display_name", "last_name", "email_address", "status"],
  by: ["external_id", "display_name", "last_name", "email_address"],
  of: ["source_system", "status"]
}

const credential: DocumentTable = {
  table: "credential",
  columns: ["worker_id", "applicant_id", "credential_type", "jurisdiction", "eligibility", "expiry_date"],
  by: ["credential_type", "expiry_date"],
  of: ["worker_id", "applicant_id", "credential_type", "jurisdiction", "eligibility"]
}

/** Tables of accounts and credentials of callers. `position` gives the order of insertion if times are equal. */
const access = ({ integer, position, tableEnd, text }: ColumnTypes): ReadonlyArray<string> => [
  `CREATE TABLE tenant (
    position ${position},
    id ${text} NOT NULL UNIQUE,
    name ${text} NOT NULL
  )${tableEnd}`,
  `CREATE TABLE tenant_host (
    host ${text} NOT NULL PRIMARY KEY,
    tenant_id ${text} NOT NULL REFERENCES tenant (id),
    ordinal ${integer} NOT NULL
  )${tableEnd}`,
  "CREATE INDEX tenant_host_of_tenant ON tenant_host (tenant_id, ordinal)",
  `CREATE TABLE account (
    position ${position},
    id ${text} NOT NULL UNIQUE,
    tenant_id ${text} NOT NULL,
    kind ${text} NOT NULL,
    email ${text},
    role ${text} NOT NULL,
    created_at ${integer} NOT NULL,
    deactivated_at ${integer}
  )${tableEnd}`,
  "CREATE UNIQUE INDEX account_email ON account (tenant_id, email)",
  "CREATE UNIQUE INDEX account_service ON account (tenant_id) WHERE kind = 'service'",
  `CREATE TABLE oauth_client (
    position ${position},
    client_id ${text} NOT NULL UNIQUE,
    tenant_id ${text} NOT NULL,
    name ${text} NOT NULL,
    secret_hash ${text} NOT NULL,
    secret_last_four ${text} NOT NULL,
    created_at ${integer} NOT NULL,
    revoked_at ${integer}
  )${tableEnd}`,
  "CREATE INDEX oauth_client_of_tenant ON oauth_client (tenant_id, created_at, position)",
  `CREATE TABLE personal_token (
    position ${position},
    id ${text} NOT NULL UNIQUE,
    tenant_id ${text} NOT NULL,
    account_id ${text} NOT NULL,
    name ${text} NOT NULL,
    token_hash ${text} NOT NULL UNIQUE,
    last_four ${text} NOT NULL,
    created_at ${integer} NOT NULL,
    expires_at ${integer},
    revoked_at ${integer},
    last_used_at ${integer}
  )${tableEnd}`,
  "CREATE INDEX personal_token_of_tenant ON personal_token (tenant_id, created_at, position)",
  `CREATE TABLE signing_key (
    position ${position},
    kid ${text} NOT NULL UNIQUE,
    sealed_private_key ${text} NOT NULL,
    created_at ${integer} NOT NULL
  )${tableEnd}`
]

/** Audit log and events. The audit log is append-only. */
const records = ({ integer, position, tableEnd, text }: ColumnTypes): ReadonlyArray<string> => [
  `CREATE TABLE audit_event (
    position ${position},
    tenant_id ${text} NOT NULL,
    id ${text} NOT NULL,
    account ${text} NOT NULL,
    bearer_kind ${text},
    bearer_id ${text},
    operation ${text} NOT NULL,
    action ${text} NOT NULL,
    entity_type ${text} NOT NULL,
    entity_id ${text} NOT NULL,
    request_id ${text} NOT NULL,
    at ${integer} NOT NULL
  )${tableEnd}`,
  "CREATE INDEX audit_event_of_tenant ON audit_event (tenant_id, position)",
  `CREATE TABLE event (
    position ${position},
    tenant_id ${text} NOT NULL,
    id ${text} NOT NULL,
    kind ${text} NOT NULL,
    subject_id ${text} NOT NULL,
    sequence ${integer} NOT NULL,
    correlation_id ${text},
    data ${text} NOT NULL,
    at ${integer} NOT NULL
  )${tableEnd}`,
  "CREATE INDEX event_of_tenant ON event (tenant_id, position)",
  `CREATE TABLE subscription (
    tenant_id ${text} NOT NULL,
    kind ${text} NOT NULL,
    subscriber_id ${text} NOT NULL,
    PRIMARY KEY (tenant_id, kind, subscriber_id)
  )${tableEnd}`,
  "CREATE INDEX subscription_of_subscriber ON subscription (tenant_id, subscriber_id)"
]

/** Names are frozen: a later change of a resource needs a migration of its own. */
export const initial: Migration = {
  id: 1,
  name: "initial",
  statements: (types) => [
    ...[worker, applicant, credential].flatMap((table) => documentTable(types, table)),
    ...access(types),
    ...records(types)
  ]
}
