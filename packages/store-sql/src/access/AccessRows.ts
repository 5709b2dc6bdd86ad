import type { Account } from "@wcs/domain/access/Account"
import type { Bearer } from "@wcs/domain/access/Caller"
import { Role } from "@wcs/domain/access/Privilege"
import { RateLimit } from "@wcs/domain/access/RateLimitTier"
import type { Tenant } from "@wcs/domain/access/Tenant"
import type { CreatedBy } from "@wcs/domain/token/CreatedBy"
import type { LegacyToken } from "@wcs/domain/token/LegacyToken"
import type { OAuthClient } from "@wcs/domain/token/OAuthClient"
import type { PersonalToken } from "@wcs/domain/token/PersonalToken"
import type { SigningKey } from "@wcs/domain/token/SigningKey"
import { type Organization, type User, wordsOfUser } from "@wcs/domain/user/User"
import { Schema } from "effect"
import { wordsText } from "../resource/SearchRows.ts"

// Numbers are read as `unknown`: a driver may return 64-bit numbers as text or bigint.

const instant = (value: unknown): number | null => (value === null ? null : Number(value))

const decodeRole = Schema.decodeUnknownSync(Role)
/** Reads a stored role. */
export const roleOf = (text: string): Role => decodeRole(JSON.parse(text))
const decodeRateLimit = Schema.decodeUnknownSync(RateLimit)

/** One row for each host of a tenant. */
export interface TenantHostRow {
  readonly id: string
  readonly name: string
  readonly time_zone: string
  readonly retention_years: unknown
  readonly second_factor_from: string | null
  readonly host: string | null
}

/** The columns of a tenant `t`, besides its hosts. */
export const tenantColumns = "t.id, t.name, t.time_zone, t.retention_years, t.second_factor_from"

/** The fields of a tenant, besides its hosts. */
export const tenantOf = ({
  id,
  name,
  retention_years,
  second_factor_from,
  time_zone
}: Omit<TenantHostRow, "host">) => ({
  ...{ id, name, timeZone: time_zone },
  ...(retention_years === null ? {} : { retentionYears: Number(retention_years) }),
  ...(second_factor_from === null ? {} : { secondFactorFrom: second_factor_from })
})

/** Groups rows into tenants. The rows must be ordered by tenant. */
export const tenantsOf = (rows: ReadonlyArray<TenantHostRow>): ReadonlyArray<Tenant> => {
  const tenants = new Map<string, Tenant>()
  for (const { host, ...row } of rows) {
    const hosts = tenants.get(row.id)?.hosts ?? []
    tenants.set(row.id, { ...tenantOf(row), hosts: host === null ? hosts : [...hosts, host] })
  }
  return [...tenants.values()]
}

/** An account's columns with a prefix, so that another table can be joined. */
export interface AccountRow {
  readonly account_id: string
  readonly account_tenant_id: string
  readonly account_kind: Account["kind"]
  readonly account_email: string | null
  readonly account_role: string
  readonly account_rate_limit: string | null
  readonly account_worker_id: string | null
  readonly account_created_at: unknown
  readonly account_deactivated_at: unknown
}

const accountColumnNames = [
  ...["id", "tenant_id", "kind", "email", "role", "rate_limit"],
  ...["worker_id", "created_at", "deactivated_at"]
]

export const accountColumns = accountColumnNames.map((column) => `a.${column} AS account_${column}`).join(", ")

export const accountOf = (row: AccountRow): Account => ({
  id: row.account_id,
  tenantId: row.account_tenant_id,
  kind: row.account_kind,
  email: row.account_email,
  role: roleOf(row.account_role),
  rateLimit: row.account_rate_limit === null ? null : decodeRateLimit(JSON.parse(row.account_rate_limit)),
  workerId: row.account_worker_id,
  createdAt: Number(row.account_created_at),
  deactivatedAt: instant(row.account_deactivated_at)
})

export const accountRow = (account: Account) => ({
  id: account.id,
  tenant_id: account.tenantId,
  kind: account.kind,
  email: account.email,
  role: JSON.stringify(account.role),
  rate_limit: account.rateLimit === null ? null : JSON.stringify(account.rateLimit),
  worker_id: account.workerId,
  created_at: account.createdAt,
  deactivated_at: account.deactivatedAt
})

/** A user: the account and its user columns. */
export interface UserRow extends AccountRow {
  readonly account_position: unknown
  readonly account_first_name: string
  readonly account_surname: string
  readonly account_password_hash: string | null
  readonly account_verified_at: unknown
  readonly account_invite_hash: string | null
  readonly account_invite_expires_at: unknown
  readonly account_invited_by: string | null
  readonly account_joined_at: unknown
}

/** The columns of a user, from the account table with this alias. */
export const userColumns = (alias: string): string =>
  [
    ...["position", "first_name", "surname", "password_hash", "verified_at", "invite_hash", "invite_expires_at"],
    ...["invited_by", "joined_at"],
    ...accountColumnNames
  ]
    .map((column) => `${alias}.${column} AS account_${column}`)
    .join(", ")

export const userOf = (row: UserRow): User => ({
  number: Number(row.account_position),
  account: accountOf(row),
  firstName: row.account_first_name,
  surname: row.account_surname,
  passwordHash: row.account_password_hash,
  verifiedAt: instant(row.account_verified_at),
  invite:
    row.account_invite_hash === null
      ? null
      : { tokenHash: row.account_invite_hash, expiresAt: Number(row.account_invite_expires_at) },
  invitedBy: row.account_invited_by,
  joinedAt: instant(row.account_joined_at)
})

/** The columns that a change of a user writes. */
export const userRow = ({
  account,
  firstName,
  invite,
  invitedBy,
  joinedAt,
  passwordHash,
  surname,
  verifiedAt
}: Omit<User, "number">) => ({
  words: wordsText(wordsOfUser({ account, firstName, surname })),
  first_name: firstName,
  surname,
  role: JSON.stringify(account.role),
  worker_id: account.workerId,
  password_hash: passwordHash,
  verified_at: verifiedAt,
  invite_hash: invite?.tokenHash ?? null,
  invite_expires_at: invite?.expiresAt ?? null,
  invited_by: invitedBy,
  joined_at: joinedAt,
  deactivated_at: account.deactivatedAt
})

export interface OrganizationRow {
  readonly position: unknown
  readonly name: string
  readonly abn: string
}

export const organizationOf = ({ abn, name, position }: OrganizationRow): Organization => ({
  number: Number(position),
  name,
  abn
})

/** The creator of a token or client. All null if unknown. */
interface CreatedByColumns {
  readonly created_by_account: string | null
  readonly created_by_bearer_kind: Bearer["kind"] | null
  readonly created_by_bearer_id: string | null
}

const createdByColumns = ["created_by_account", "created_by_bearer_kind", "created_by_bearer_id"]

const createdByOf = (row: CreatedByColumns): CreatedBy | null => {
  const { created_by_account: account, created_by_bearer_id: id, created_by_bearer_kind: kind } = row
  return account === null ? null : { account, bearer: kind === null || id === null ? null : { kind, id } }
}

const createdByRow = (createdBy: CreatedBy | null): CreatedByColumns => ({
  created_by_account: createdBy?.account ?? null,
  created_by_bearer_kind: createdBy?.bearer?.kind ?? null,
  created_by_bearer_id: createdBy?.bearer?.id ?? null
})

export interface ClientRow extends CreatedByColumns {
  readonly client_id: string
  readonly tenant_id: string
  readonly name: string
  readonly secret_hash: string
  readonly secret_last_four: string
  readonly created_at: unknown
  readonly expires_at: unknown
  readonly revoked_at: unknown
}

/** The columns of a client, from the table with this alias. */
export const clientColumns = (alias: string): string =>
  [
    ...["client_id", "tenant_id", "name", "secret_hash", "secret_last_four"],
    ...["created_at", ...createdByColumns, "expires_at", "revoked_at"]
  ]
    .map((column) => `${alias}.${column}`)
    .join(", ")

export const clientOf = (row: ClientRow): OAuthClient => ({
  clientId: row.client_id,
  tenantId: row.tenant_id,
  name: row.name,
  secretHash: row.secret_hash,
  secretLastFour: row.secret_last_four,
  createdAt: Number(row.created_at),
  createdBy: createdByOf(row),
  expiresAt: instant(row.expires_at),
  revokedAt: instant(row.revoked_at)
})

export const clientRow = (client: OAuthClient) => ({
  client_id: client.clientId,
  tenant_id: client.tenantId,
  name: client.name,
  secret_hash: client.secretHash,
  secret_last_four: client.secretLastFour,
  created_at: client.createdAt,
  ...createdByRow(client.createdBy),
  expires_at: client.expiresAt,
  revoked_at: client.revokedAt
})

export interface TokenRow extends CreatedByColumns {
  readonly id: string
  readonly tenant_id: string
  readonly account_id: string
  readonly name: string
  readonly token_hash: string
  readonly last_four: string
  readonly created_at: unknown
  readonly expires_at: unknown
  readonly revoked_at: unknown
  readonly last_used_at: unknown
}

/**
 * The columns of a token, from the table with this alias. `account_id` is its owner, equal to the id of a joined
 * account.
 */
export const tokenColumns = (alias: string): string =>
  [
    ...["id", "tenant_id", "account_id", "name", "token_hash", "last_four"],
    ...["created_at", ...createdByColumns, "expires_at", "revoked_at", "last_used_at"]
  ]
    .map((column) => `${alias}.${column}`)
    .join(", ")

export const tokenOf = (row: TokenRow): PersonalToken => ({
  id: row.id,
  tenantId: row.tenant_id,
  accountId: row.account_id,
  name: row.name,
  tokenHash: row.token_hash,
  lastFour: row.last_four,
  createdAt: Number(row.created_at),
  createdBy: createdByOf(row),
  expiresAt: instant(row.expires_at),
  revokedAt: instant(row.revoked_at),
  lastUsedAt: instant(row.last_used_at)
})

export const tokenRow = (token: PersonalToken) => ({
  id: token.id,
  tenant_id: token.tenantId,
  account_id: token.accountId,
  name: token.name,
  token_hash: token.tokenHash,
  last_four: token.lastFour,
  created_at: token.createdAt,
  ...createdByRow(token.createdBy),
  expires_at: token.expiresAt,
  revoked_at: token.revokedAt,
  last_used_at: token.lastUsedAt
})

export interface LegacyTokenRow {
  readonly id: string
  readonly tenant_id: string
  readonly account_id: string
  readonly issued_at: unknown
  readonly expires_at: unknown
  readonly revoked_at: unknown
}

export const legacyTokenColumns = "t.id, t.tenant_id, t.account_id, t.issued_at, t.expires_at, t.revoked_at"

export const legacyTokenOf = (row: LegacyTokenRow): LegacyToken => ({
  id: row.id,
  tenantId: row.tenant_id,
  accountId: row.account_id,
  issuedAt: Number(row.issued_at),
  expiresAt: Number(row.expires_at),
  revokedAt: instant(row.revoked_at)
})

export const legacyTokenRow = (token: LegacyToken) => ({
  id: token.id,
  tenant_id: token.tenantId,
  account_id: token.accountId,
  issued_at: token.issuedAt,
  expires_at: token.expiresAt,
  revoked_at: token.revokedAt
})

export interface SigningKeyRow {
  readonly use: SigningKey["use"]
  readonly kid: string
  readonly sealed_private_key: string
  readonly created_at: unknown
}

export const signingKeyOf = (row: SigningKeyRow): SigningKey => ({
  use: row.use,
  kid: row.kid,
  sealedPrivateKey: row.sealed_private_key,
  createdAt: Number(row.created_at)
})
