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
import { type Field, json, makeColumns, number, orNull, type Row, text, word } from "../engine/Columns.ts"
import { wordsText } from "../resource/SearchRows.ts"

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

/** The columns of an account, with a prefix, so that another table can be joined. */
export const account = makeColumns<Account>(
  {
    id: text,
    tenantId: text,
    kind: word(),
    email: orNull(text),
    role: json(roleOf),
    rateLimit: orNull(json((stored) => decodeRateLimit(JSON.parse(stored)))),
    workerId: orNull(text),
    createdAt: number,
    deactivatedAt: orNull(number)
  },
  "account_"
)

/** The columns of a user besides those of the account. */
const ofUser = makeColumns<Omit<User, "account">>(
  {
    number: { ...number, columns: ["position"] },
    firstName: text,
    surname: text,
    passwordHash: orNull(text),
    verifiedAt: orNull(number),
    invite: {
      columns: ["invite_hash", "invite_expires_at"],
      read: (hash, expiresAt) => (hash === null ? null : { tokenHash: String(hash), expiresAt: Number(expiresAt) }),
      write: (invite) => [invite?.tokenHash ?? null, invite?.expiresAt ?? null]
    },
    invitedBy: orNull(text),
    joinedAt: orNull(number)
  },
  "account_"
)

/** The columns of a user, from the account table with this alias. */
export const userColumns = (alias: string): string => `${ofUser.selected(alias)}, ${account.selected(alias)}`

export const userOf = (row: Row): User => ({ account: account.of(row), ...ofUser.of(row) })

/** The columns that a change of a user writes. */
export const userRow = (user: Omit<User, "number">) => {
  const { position: _, ...own } = ofUser.row({ ...user, number: 0 })
  const { deactivatedAt, role, workerId } = user.account
  const ofAccount = { role: JSON.stringify(role), worker_id: workerId, deactivated_at: deactivatedAt }
  return { words: wordsText(wordsOfUser(user)), ...own, ...ofAccount }
}

export const organization = makeColumns<Organization>({
  number: { ...number, columns: ["position"] },
  name: text,
  abn: text
})

/** The creator of a token or client. All null if unknown. */
const createdBy: Field<CreatedBy | null> = {
  columns: ["created_by_account", "created_by_bearer_kind", "created_by_bearer_id"],
  read: (account, kind, id) =>
    account === null
      ? null
      : {
          account: String(account),
          bearer: kind === null || id === null ? null : { kind: String(kind) as Bearer["kind"], id: String(id) }
        },
  write: (by) => [by?.account ?? null, by?.bearer?.kind ?? null, by?.bearer?.id ?? null]
}

export const client = makeColumns<OAuthClient>({
  clientId: text,
  tenantId: text,
  name: text,
  secretHash: text,
  secretLastFour: text,
  createdAt: number,
  createdBy,
  expiresAt: orNull(number),
  revokedAt: orNull(number)
})

/** The columns of a token. `account_id` is its owner, equal to the id of a joined account. */
export const token = makeColumns<PersonalToken>({
  id: text,
  tenantId: text,
  accountId: text,
  name: text,
  tokenHash: text,
  lastFour: text,
  createdAt: number,
  createdBy,
  expiresAt: orNull(number),
  revokedAt: orNull(number),
  lastUsedAt: orNull(number)
})

export const legacyToken = makeColumns<LegacyToken>({
  id: text,
  tenantId: text,
  accountId: text,
  issuedAt: number,
  expiresAt: number,
  revokedAt: orNull(number)
})

export const signingKey = makeColumns<SigningKey>({
  use: word(),
  kid: text,
  sealedPrivateKey: text,
  createdAt: number
})
