import type { Account } from "@wcs/domain/access/Account"
import type { Tenant } from "@wcs/domain/access/Tenant"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import type { OAuthClient } from "@wcs/domain/token/OAuthClient"
import type { PersonalToken } from "@wcs/domain/token/PersonalToken"
import { Effect, Result } from "effect"
import { auditEntry, auditLog, digits, freshTenant, mint, start } from "../Fixtures.ts"

/** A host that no tenant has. */
export const freshHost = (): string => `host-${digits()}.example`

/** A user of a tenant. */
export const user = (tenantId: string, overrides: Partial<Account> = {}): Account => ({
  id: mint("account"),
  tenantId,
  kind: "user",
  email: `user-${digits()}@example.org`,
  role: "Data Manager",
  rateLimit: null,
  workerId: null,
  deactivatedAt: null,
  createdAt: start,
  ...overrides
})

/** The service account of a tenant's clients. */
export const serviceAccountFor = (tenantId: string): Account =>
  user(tenantId, { kind: "service", email: null, role: "Super Admin" })

/** A client of a tenant, not revoked. */
export const client = (tenantId: string, overrides: Partial<OAuthClient> = {}): OAuthClient => ({
  clientId: `wcs_oauth_${digits()}`,
  tenantId,
  name: "Payroll",
  secretHash: digits().padStart(64, "a"),
  secretLastFour: "wxyz",
  createdAt: start,
  createdBy: null,
  expiresAt: null,
  revokedAt: null,
  ...overrides
})

/** A user's personal token, not revoked. */
export const token = (tenantId: string, accountId: string, overrides: Partial<PersonalToken> = {}): PersonalToken => ({
  id: mint("personalToken"),
  tenantId,
  accountId,
  name: "Zoë's script",
  tokenHash: digits().padStart(64, "b"),
  lastFour: "abcd",
  createdAt: start,
  createdBy: null,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  ...overrides
})

/** Stores a tenant with its service account and a user. */
export const putTenant = Effect.gen(function* () {
  const store = yield* AccessStore
  const tenant: Tenant = {
    id: freshTenant(),
    name: "Aged Care Ltd",
    timeZone: "Australia/Perth",
    hosts: [freshHost(), freshHost()]
  }
  const service = serviceAccountFor(tenant.id)
  yield* store.insertTenant(tenant, service, auditEntry(tenant.id, { entityType: "tenant" }))
  const account = user(tenant.id)
  yield* store.insertAccount(account, auditEntry(account.id, { entityType: "account" }), allowed)
  return { tenant, service, account }
})

/** Allows every creator. */
export const allowed = () => Result.succeed(undefined)

/** Stores a client. */
export const putClient = Effect.fnUntraced(function* (tenantId: string, overrides: Partial<OAuthClient> = {}) {
  const store = yield* AccessStore
  const row = client(tenantId, overrides)
  yield* store.insertClient(row, auditEntry(row.clientId, { entityType: "apiClient" }), allowed)
  return row
})

/** Stores a token. */
export const putToken = Effect.fnUntraced(function* (account: Account, overrides: Partial<PersonalToken> = {}) {
  const store = yield* AccessStore
  const row = token(account.tenantId, account.id, overrides)
  yield* store.insertPersonalToken(row, auditEntry(row.id, { entityType: "accessToken" }), allowed)
  return row
})

/** The entity ids of the tenant's audit entries, oldest first. */
export const audited = Effect.fnUntraced(function* (tenantId: string) {
  return (yield* auditLog(tenantId, 1000)).map(({ entityId }) => entityId)
})
