import type { ColumnTypes } from "../engine/Dialect.ts"

const tenants = ({ integer, position, tableEnd, text }: ColumnTypes): ReadonlyArray<string> => [
  `CREATE TABLE tenant (
    position ${position},
    id ${text} NOT NULL UNIQUE,
    name ${text} NOT NULL,
    abn ${text} NOT NULL DEFAULT ''
  )${tableEnd}`,
  `CREATE TABLE tenant_host (
    host ${text} NOT NULL PRIMARY KEY,
    tenant_id ${text} NOT NULL REFERENCES tenant (id),
    ordinal ${integer} NOT NULL
  )${tableEnd}`,
  "CREATE INDEX tenant_host_of_tenant ON tenant_host (tenant_id, ordinal)"
]

/** `rate_limit` is the account's own limit, such as `{"calls":20,"windowSeconds":2}`. */
const accounts = ({ byTenant, integer, tableEnd, tenantPosition, text }: ColumnTypes): ReadonlyArray<string> => [
  `CREATE TABLE account (
    ${tenantPosition},
    id ${text} NOT NULL,
    kind ${text} NOT NULL,
    email ${text},
    role ${text} NOT NULL,
    rate_limit ${text},
    first_name ${text} NOT NULL DEFAULT '',
    surname ${text} NOT NULL DEFAULT '',
    password_hash ${text},
    verified_at ${integer},
    invite_hash ${text},
    invite_expires_at ${integer},
    created_at ${integer} NOT NULL,
    deactivated_at ${integer},
    UNIQUE (tenant_id, id)
  )${tableEnd}`,
  ...byTenant("account"),
  "CREATE UNIQUE INDEX account_email ON account (tenant_id, email)",
  "CREATE UNIQUE INDEX account_service ON account (tenant_id) WHERE kind = 'service'",
  "CREATE INDEX account_of_invite ON account (tenant_id, invite_hash) WHERE invite_hash IS NOT NULL",
  `CREATE INDEX account_super_admin ON account (tenant_id, position)
    WHERE role = '"Super Admin"' AND kind = 'user' AND deactivated_at IS NULL`,
  "CREATE INDEX account_active ON account (tenant_id) WHERE kind = 'user' AND deactivated_at IS NULL"
]

// The indexes `account_active`, `oauth_client_live` and `personal_token_live` count what a tenant has before another one is
// created.

/** The account and the bearer that created a token or client. */
const createdBy = (text: string): string => `
    created_by_account ${text},
    created_by_bearer_kind ${text},
    created_by_bearer_id ${text},`

const credentials = ({ byTenant, integer, tableEnd, tenantPosition, text }: ColumnTypes): ReadonlyArray<string> => [
  `CREATE TABLE oauth_client (
    ${tenantPosition},
    client_id ${text} NOT NULL,
    name ${text} NOT NULL,
    secret_hash ${text} NOT NULL,
    secret_last_four ${text} NOT NULL,
    created_at ${integer} NOT NULL,${createdBy(text)}
    expires_at ${integer},
    revoked_at ${integer},
    UNIQUE (tenant_id, client_id)
  )${tableEnd}`,
  ...byTenant("oauth_client"),
  "CREATE INDEX oauth_client_of_maker ON oauth_client (tenant_id, created_by_bearer_id)",
  "CREATE INDEX oauth_client_of_creator ON oauth_client (tenant_id, created_by_account)",
  "CREATE INDEX oauth_client_live ON oauth_client (tenant_id, expires_at) WHERE revoked_at IS NULL",
  `CREATE TABLE personal_token (
    ${tenantPosition},
    id ${text} NOT NULL,
    account_id ${text} NOT NULL,
    name ${text} NOT NULL,
    token_hash ${text} NOT NULL,
    last_four ${text} NOT NULL,
    created_at ${integer} NOT NULL,${createdBy(text)}
    expires_at ${integer},
    revoked_at ${integer},
    last_used_at ${integer},
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, token_hash)
  )${tableEnd}`,
  ...byTenant("personal_token"),
  "CREATE INDEX personal_token_of_account ON personal_token (tenant_id, account_id, position)",
  "CREATE INDEX personal_token_of_maker ON personal_token (tenant_id, created_by_bearer_id)",
  "CREATE INDEX personal_token_live ON personal_token (tenant_id, account_id, expires_at) WHERE revoked_at IS NULL"
]

const keys = ({ integer, position, tableEnd, text }: ColumnTypes): ReadonlyArray<string> => [
  `CREATE TABLE signing_key (
    position ${position},
    kid ${text} NOT NULL UNIQUE,
    use ${text} NOT NULL,
    sealed_private_key ${text} NOT NULL,
    created_at ${integer} NOT NULL
  )${tableEnd}`
]

/** Counts each tenant's writes that affect tokens' validity, for processes that share the store. */
const epoch = ({ integer, tableEnd, text }: ColumnTypes): ReadonlyArray<string> => [
  `CREATE TABLE access_epoch (tenant_id ${text} NOT NULL PRIMARY KEY, writes ${integer} NOT NULL)${tableEnd}`
]

/** Rate-limit windows of processes that share the store. A crash may lose counts. */
const rateWindows = ({ createPassingTable, integer, tableEnd, text }: ColumnTypes): ReadonlyArray<string> => [
  `${createPassingTable} rate_window (
    tier ${text} NOT NULL,
    key ${text} NOT NULL,
    started_at ${integer} NOT NULL,
    ends_at ${integer} NOT NULL,
    used ${integer} NOT NULL,
    granted ${integer} NOT NULL,
    PRIMARY KEY (tier, key)
  )${tableEnd}`,
  "CREATE INDEX rate_window_by_end ON rate_window (ends_at)"
]

export const accessTables = (types: ColumnTypes): ReadonlyArray<string> => [
  ...tenants(types),
  ...accounts(types),
  ...credentials(types),
  ...keys(types),
  ...epoch(types),
  ...rateWindows(types)
]
