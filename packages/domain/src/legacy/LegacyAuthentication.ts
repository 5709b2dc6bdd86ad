import { Clock, Context, Data, Effect, Layer, Option, Redacted } from "effect"
import { accountUrn } from "../access/Account.ts"
import { type Caller, reachOf } from "../access/Caller.ts"
import { PrivilegeRules, unitsOf } from "../access/Privilege.ts"
import { RateLimited, RateLimiter } from "../access/RateLimitTier.ts"
import type { CallersTenant } from "../access/Tenant.ts"
import { defaultLifetimeSeconds, TokenLifetime } from "../access/TokenLifetime.ts"
import { Unauthenticated } from "../access/Unauthenticated.ts"
import { actorOf } from "../audit/AuditEntry.ts"
import { PasswordCheck } from "../login/PasswordCheck.ts"
import { RequestId } from "../shared/RequestId.ts"
import * as LegacyToken from "../token/LegacyToken.ts"
import * as LegacyTokenGrant from "../user/LegacyTokenGrant.ts"
import type { PasswordsBusy } from "../user/Passwords.ts"
import type { User } from "../user/User.ts"
import { UserStore } from "../user/UserStore.ts"

/** A user name and password as sent, with the sender's address. */
export interface Login {
  readonly username: string
  readonly password: Redacted.Redacted
  readonly address: string
}

/** A legacy user and the caller for the request. */
export interface LegacyCallerOf {
  readonly user: User
  readonly caller: Caller["Service"]
}

/** The authenticated legacy user of the current request. */
export class LegacyCaller extends Context.Service<LegacyCaller, LegacyCallerOf>()("@wcs/domain/LegacyCaller") {}

/** Lifetime of legacy tokens in this deployment (§5.1, item 4). */
export const LegacyTokenLifetimeSeconds = Context.Reference<number>("@wcs/domain/LegacyTokenLifetimeSeconds", {
  defaultValue: () => defaultLifetimeSeconds.legacy
})

/** The token path names another user or an unknown one. The error does not say which (DECISIONS.md#fields). */
export class NoSuchUser extends Data.TaggedError("NoSuchUser") {}

/**
 * Authenticates calls to the legacy surface and issues its tokens (§5.1). The surface shows the whole tenant, so it refuses
 * a user who is limited to units.
 */
export class LegacyAuthentication extends Context.Service<
  LegacyAuthentication,
  {
    /** Returns the user with this email and password, checked by `PasswordCheck`. */
    readonly basic: (
      tenant: CallersTenant,
      login: Login
    ) => Effect.Effect<LegacyCallerOf, Unauthenticated | RateLimited | PasswordsBusy>
    /** Returns the user of a live legacy token. */
    readonly bearer: (tenant: CallersTenant, token: Redacted.Redacted) => Effect.Effect<LegacyCallerOf, Unauthenticated>
    /**
     * Issues a token for the caller; `number` is the user's number in the path. Earlier tokens stay valid. Fails if the
     * caller's password was changed or the caller was deactivated meanwhile, because that ended the caller's other
     * tokens.
     */
    readonly issue: (
      number: string
    ) => Effect.Effect<
      LegacyTokenGrant.GrantedLegacyToken,
      NoSuchUser | RateLimited | Unauthenticated,
      LegacyCaller | RequestId
    >
  }
>()("@wcs/domain/LegacyAuthentication") {}

/** Longer than any token that this service issues. */
const maxTokenLength = 4096

export const make = Effect.gen(function* () {
  const store = yield* UserStore
  const tokens = yield* LegacyToken.LegacyTokens
  const passwords = yield* PasswordCheck
  const limiter = yield* RateLimiter
  const lifetime = yield* TokenLifetime
  const rules = yield* PrivilegeRules
  const grant = yield* LegacyTokenGrant.make
  const lifetimeSeconds = yield* LegacyTokenLifetimeSeconds

  const callerOf = (user: User, timeZone: string, bearer: Caller["Service"]["bearer"]): LegacyCallerOf => ({
    user,
    caller: {
      tenantId: user.account.tenantId,
      timeZone,
      account: accountUrn(user.account.id),
      ...reachOf(rules, user.account.role),
      bearer,
      rateLimitKey: accountUrn(user.account.id),
      rateLimit: user.account.rateLimit,
      workerId: user.account.workerId
    }
  })

  const basic: LegacyAuthentication["Service"]["basic"] = Effect.fn("LegacyAuthentication.basic")(function* (
    { id, timeZone },
    login
  ) {
    const user = yield* passwords.check(id, { ...login, knownDevice: null })
    if (unitsOf(user.account.role) !== undefined) return yield* new Unauthenticated()
    return callerOf(user, timeZone, { kind: "password", id: user.account.id })
  })

  const bearer: LegacyAuthentication["Service"]["bearer"] = Effect.fn("LegacyAuthentication.bearer")(function* (
    { id: tenantId, timeZone },
    token
  ) {
    const text = Redacted.value(token)
    if (text === "" || text.length > maxTokenLength) return yield* new Unauthenticated()
    const claims = yield* tokens.verify(text)
    if (Option.isNone(claims) || claims.value.tenantId !== tenantId) return yield* new Unauthenticated()
    const found = yield* store.findLegacyToken(tenantId, claims.value.tokenId)
    const now = yield* Clock.currentTimeMillis
    const live = Option.filter(
      found,
      ({ token, user }) =>
        token.accountId === claims.value.accountId &&
        lifetime.isLive(LegacyToken.validityOf(token), now) &&
        !lifetime.isExpired(claims.value, now) &&
        !lifetime.isRevoked({ revokedAt: user.account.deactivatedAt }) &&
        unitsOf(user.account.role) === undefined
    )
    if (Option.isNone(live)) return yield* new Unauthenticated()
    return callerOf(live.value.user, timeZone, { kind: "legacy", id: live.value.token.id })
  })

  const issue: LegacyAuthentication["Service"]["issue"] = Effect.fn("LegacyAuthentication.issue")(function* (number) {
    const { caller, user } = yield* LegacyCaller
    if (number !== String(user.number)) return yield* new NoSuchUser()
    const quota = yield* limiter.take("tokensIssued", caller.account)
    if (quota.exceeded) return yield* new RateLimited({ quota })
    const granted = yield* grant({
      account: user.account,
      lifetimeSeconds,
      actor: actorOf(caller, yield* RequestId),
      mayHave: ({ passwordHash }) => passwordHash === user.passwordHash
    })
    return yield* Effect.mapError(Effect.fromOption(granted), () => new Unauthenticated())
  })

  return LegacyAuthentication.of({ basic, bearer, issue })
})

export const layer = Layer.effect(LegacyAuthentication, make)
