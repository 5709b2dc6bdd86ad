import type { Account } from "@wcs/domain/access/Account"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import type { LegacyToken } from "@wcs/domain/token/LegacyToken"
import type { User } from "@wcs/domain/user/User"
import { type UserChange, UserStore } from "@wcs/domain/user/UserStore"
import { Effect, Option, Result } from "effect"
import { auditEntry, digits, start } from "../Fixtures.ts"
import { allowed, user } from "./AccessFixtures.ts"

/** Stores a user of a tenant with user columns, and reads it back. */
export const putUser = Effect.fnUntraced(function* (tenantId: string, overrides: Partial<Account> = {}) {
  const [access, users] = [yield* AccessStore, yield* UserStore]
  const account = user(tenantId, overrides)
  yield* access.insertAccount(account, auditEntry(account.id, { entityType: "account" }), allowed)
  return Option.getOrThrow(yield* users.findByEmail(tenantId, account.email ?? ""))
})

/** A change of a user, with its audit entry. */
export const changed = (next: User, endTokensAt?: number): Result.Result<UserChange> => {
  const audit = auditEntry(next.account.id, { entityType: "account" })
  return Result.succeed(endTokensAt === undefined ? { next, audit } : { next, audit, endTokensAt })
}

/** Changes the stored user. */
export const rewrite = Effect.fnUntraced(function* (
  { account }: User,
  revision: (user: User) => User,
  endTokensAt?: number
) {
  const users = yield* UserStore
  const after = yield* users.change(account.tenantId, account.id, (user) => changed(revision(user), endTokensAt))
  return Option.getOrThrow(after)
})

/** The current stored user. */
export const readUser = Effect.fnUntraced(function* ({ account }: User) {
  const users = yield* UserStore
  return Option.getOrThrow(yield* users.findByEmail(account.tenantId, account.email ?? ""))
})

/** A legacy token of a user, not revoked. */
export const legacyToken = ({ account }: User, overrides: Partial<LegacyToken> = {}): LegacyToken => ({
  id: `01K${digits().padStart(23, "0")}`,
  tenantId: account.tenantId,
  accountId: account.id,
  issuedAt: start,
  expiresAt: Math.floor(start / 1000) + 60,
  revokedAt: null,
  ...overrides
})

/** Stores a legacy token. */
export const putLegacyToken = Effect.fnUntraced(function* (user: User, overrides: Partial<LegacyToken> = {}) {
  const users = yield* UserStore
  const token = legacyToken(user, overrides)
  yield* users.insertLegacyToken(token, auditEntry(token.id, { entityType: "legacyToken" }), () => true)
  return token
})

/** All legacy tokens of a user. */
export const tokensOf = Effect.fnUntraced(function* ({ account }: User) {
  const users = yield* UserStore
  return yield* users.listLegacyTokens(account.tenantId, account.id, "", 1000)
})
