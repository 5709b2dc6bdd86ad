import { Clock, Context, Effect, Layer, Option, Redacted, type Scope } from "effect"
import { AccessTokens, authorityOf, plainIssuer } from "../access/AccessToken.ts"
import { accountUrn } from "../access/Account.ts"
import { type Caller, reachOf } from "../access/Caller.ts"
import { isTokenShaped } from "../access/OpaqueToken.ts"
import { PrivilegeRules } from "../access/Privilege.ts"
import { type CallersTenant, hostName } from "../access/Tenant.ts"
import { TokenLifetime } from "../access/TokenLifetime.ts"
import { Unauthenticated } from "../access/Unauthenticated.ts"
import * as Session from "../session/Session.ts"
import { SessionStore } from "../session/SessionStore.ts"
import { Digest } from "../shared/Digest.ts"
import type { Instant } from "../shared/Instant.ts"
import { AccessStore } from "../token/AccessStore.ts"
import * as PersonalToken from "../token/PersonalToken.ts"
import { ExternalBearers } from "./ExternalBearers.ts"

const unauthenticated = Effect.fail(new Unauthenticated())

/** Authenticates calls to the newer surface (§5.2). */
export class Authentication extends Context.Service<
  Authentication,
  {
    /** Returns the caller of a bearer token in one tenant. Empty text counts as no token. */
    readonly authenticate: (
      tenant: CallersTenant,
      token: Redacted.Redacted
    ) => Effect.Effect<Caller["Service"], Unauthenticated>
    /** Returns the caller of a live session of the tenant, found by its cookie value. */
    readonly authenticateSession: (
      tenant: CallersTenant,
      token: Redacted.Redacted
    ) => Effect.Effect<Caller["Service"], Unauthenticated>
    /**
     * The same at a time, for the steps of a call. For a cached token the result is an `Exit`: all checks are made at once.
     * The text of the token is not redacted, which would take longer than the checks. It leaves this service only as a
     * hash, or redacted.
     */
    readonly authenticateAt: (
      tenant: CallersTenant,
      text: string,
      now: Instant
    ) => Effect.Effect<Caller["Service"], Unauthenticated>
    readonly authenticateSessionAt: (
      tenant: CallersTenant,
      text: string,
      now: Instant
    ) => Effect.Effect<Caller["Service"], Unauthenticated>
  }
>()("@wcs/domain/Authentication") {}

/** A cached verified token. */
interface Verified {
  readonly caller: Caller["Service"]
  /** The caller as an effect, created once. */
  readonly found: Effect.Effect<Caller["Service"]>
  /** Unix seconds, or null. */
  readonly expiresAt: number | null
  readonly epoch: number
  /** When `lastUsedAt` of the token, or `seenAt` of the session, was last stored. */
  touchedAt: Instant
}

/** Size of the cache of verified tokens. The oldest entry is evicted first. */
const rememberedTokens = 10_000
/** Longer than any token that this service issues. */
const maxTokenLength = 4096

interface Services {
  readonly store: AccessStore["Service"]
  readonly sessions: SessionStore["Service"]
  readonly accessTokens: AccessTokens["Service"]
  readonly digest: Digest["Service"]
  readonly lifetime: TokenLifetime["Service"]
  readonly privilegeRules: PrivilegeRules["Service"]
  readonly external: typeof ExternalBearers.Service
  readonly scope: Scope.Scope
  /** Verified tokens by hash. */
  readonly remembered: Map<string, Verified>
}

const fromPersonal = Effect.fnUntraced(function* (
  { lifetime, privilegeRules, store }: Services,
  { id: tenantId, timeZone }: CallersTenant,
  hash: string,
  epoch: number,
  now: Instant
) {
  const found = yield* store.findPersonalToken(tenantId, hash)
  return Option.flatMap(found, ({ account, token }): Option.Option<Verified> => {
    const isLive = lifetime.isLive(PersonalToken.validityOf(token), now)
    if (!isLive || lifetime.isRevoked({ revokedAt: account.deactivatedAt })) return Option.none()
    const caller: Caller["Service"] = {
      tenantId: token.tenantId,
      timeZone,
      account: accountUrn(account.id),
      ...reachOf(privilegeRules, account.role),
      bearer: { kind: "personal", id: token.id },
      rateLimitKey: accountUrn(account.id),
      rateLimit: account.rateLimit,
      workerId: account.workerId
    }
    return Option.some({
      caller,
      found: Effect.succeed(caller),
      expiresAt: token.expiresAt,
      epoch,
      touchedAt: token.lastUsedAt ?? 0
    })
  })
})

/** Whether the issuer is a host of the tenant. Tokens of release 0.1 name no host. */
const isIssuerOf = Effect.fnUntraced(function* ({ store }: Services, issuer: string, tenantId: string) {
  if (issuer === plainIssuer) return true
  const authority = authorityOf(issuer)
  if (authority === undefined) return false
  const tenant = yield* store.findTenantByHost(hostName(authority))
  return Option.exists(tenant, ({ id }) => id === tenantId)
})

const fromAccessToken = Effect.fnUntraced(function* (
  services: Services,
  { timeZone }: CallersTenant,
  text: string,
  epoch: number
) {
  const { accessTokens, lifetime, privilegeRules, store } = services
  const claims = yield* accessTokens.verify(text)
  if (Option.isNone(claims)) return Option.none<Verified>()
  const { clientId, expiresAt, issuer, tenantId } = claims.value
  if (!(yield* isIssuerOf(services, issuer, tenantId))) return Option.none<Verified>()
  const found = yield* store.findClient(tenantId, clientId)
  return Option.flatMap(found, ({ account, client }): Option.Option<Verified> => {
    const isDead =
      client.tenantId !== tenantId ||
      lifetime.isRevoked(client) ||
      lifetime.isRevoked({ revokedAt: account.deactivatedAt })
    if (isDead) return Option.none()
    const caller: Caller["Service"] = {
      tenantId,
      timeZone,
      account: accountUrn(account.id),
      ...reachOf(privilegeRules, account.role),
      bearer: { kind: "oauth", id: clientId },
      rateLimitKey: clientId,
      rateLimit: account.rateLimit,
      workerId: account.workerId
    }
    return Option.some({ caller, found: Effect.succeed(caller), expiresAt, epoch, touchedAt: 0 })
  })
})

const remember = ({ remembered }: Services, hash: string, verified: Option.Option<Verified>) => {
  if (Option.isNone(verified)) return unauthenticated
  const [oldest] = remembered.keys()
  if (remembered.size >= rememberedTokens && oldest !== undefined) remembered.delete(oldest)
  remembered.set(hash, verified.value)
  return Effect.succeed(verified.value)
}

const verify = Effect.fnUntraced(function* (
  services: Services,
  tenant: CallersTenant,
  text: string,
  hash: string,
  epoch: number,
  now: Instant
) {
  const verified = text.startsWith(PersonalToken.prefix)
    ? PersonalToken.isWellFormed(text)
      ? yield* fromPersonal(services, tenant, hash, epoch, now)
      : Option.none()
    : yield* fromAccessToken(services, tenant, text, epoch)
  return yield* remember(services, hash, verified)
})

const verifySession = Effect.fnUntraced(function* (
  services: Services,
  { id: tenantId, timeZone }: CallersTenant,
  hash: string,
  epoch: number,
  now: Instant
) {
  const found = yield* services.sessions.find(tenantId, hash)
  const verified = Option.flatMap(found, ({ account, session }): Option.Option<Verified> => {
    const isDead = !Session.isLive(session, now) || services.lifetime.isRevoked({ revokedAt: account.deactivatedAt })
    if (isDead) return Option.none()
    const caller: Caller["Service"] = {
      tenantId: session.tenantId,
      timeZone,
      account: accountUrn(account.id),
      ...reachOf(services.privilegeRules, account.role),
      bearer: { kind: "session", id: session.id },
      rateLimitKey: accountUrn(account.id),
      rateLimit: account.rateLimit,
      workerId: account.workerId,
      authenticatedAt: session.authenticatedAt
    }
    const expiresAt = Math.floor(session.expiresAt / 1000)
    return Option.some({ caller, found: Effect.succeed(caller), expiresAt, epoch, touchedAt: session.seenAt })
  })
  return yield* remember(services, hash, verified)
})

/**
 * Returns the caller if the token belongs to the tenant and has not expired. Runs on every call, also for cached
 * tokens.
 */
const callerOf = (
  { lifetime, scope, sessions, store }: Services,
  verified: Verified,
  tenantId: string,
  now: Instant
) => {
  const { caller } = verified
  if (caller.tenantId !== tenantId || lifetime.isExpired(verified, now)) return unauthenticated
  if (caller.bearer.kind === "oauth" || now - verified.touchedAt < Session.touchEveryMillis) return verified.found
  verified.touchedAt = now
  const { id, kind } = caller.bearer
  const touch = kind === "session" ? sessions.touch(tenantId, id, now) : store.touchPersonalToken(tenantId, id, now)
  // Runs in the background; the call does not wait.
  return Effect.as(Effect.forkIn(touch, scope), caller)
}

/**
 * Returns whether a cached token may be used. A session that looks idle here may be in use on another server, so it
 * is read again.
 */
const isCurrent = (
  verified: Verified,
  kind: "token" | "session",
  { timeZone }: CallersTenant,
  epoch: number,
  now: Instant
): boolean => {
  const { bearer, timeZone: knownZone } = verified.caller
  const isSession = bearer.kind === "session"
  if (verified.epoch !== epoch || knownZone !== timeZone || isSession !== (kind === "session")) return false
  return !isSession || !Session.isIdle({ seenAt: verified.touchedAt }, now)
}

/**
 * Returns the caller of an external provider's token. Not cached, because changes at the provider do not change the
 * epoch.
 */
const fromExternal = (
  { external }: Services,
  tenant: CallersTenant,
  token: Redacted.Redacted,
  refusal: Unauthenticated
) =>
  Effect.flatMap(
    external(tenant, token),
    Option.match({ onNone: () => Effect.fail(refusal), onSome: (caller) => Effect.succeed(caller) })
  )

const authenticateAt =
  (services: Services): Authentication["Service"]["authenticateAt"] =>
  (tenant, text, now) => {
    if (text === "" || text.length > maxTokenLength) return unauthenticated
    const epoch = services.store.epoch()
    const hash = services.digest.sha256(text)
    const known = services.remembered.get(hash)
    return known !== undefined && isCurrent(known, "token", tenant, epoch, now)
      ? callerOf(services, known, tenant.id, now)
      : Effect.flatMap(verify(services, tenant, text, hash, epoch, now), (verified) =>
          callerOf(services, verified, tenant.id, now)
        ).pipe(Effect.catch((refusal) => fromExternal(services, tenant, Redacted.make(text), refusal)))
  }

const authenticateSessionAt =
  (services: Services): Authentication["Service"]["authenticateSessionAt"] =>
  (tenant, text, now) => {
    if (!isTokenShaped(text)) return unauthenticated
    const epoch = services.store.epoch()
    const hash = services.digest.sha256(text)
    const known = services.remembered.get(hash)
    return known !== undefined && isCurrent(known, "session", tenant, epoch, now)
      ? callerOf(services, known, tenant.id, now)
      : Effect.flatMap(verifySession(services, tenant, hash, epoch, now), (verified) =>
          callerOf(services, verified, tenant.id, now)
        )
  }

export const make = Effect.gen(function* () {
  const services: Services = {
    store: yield* AccessStore,
    sessions: yield* SessionStore,
    accessTokens: yield* AccessTokens,
    digest: yield* Digest,
    lifetime: yield* TokenLifetime,
    privilegeRules: yield* PrivilegeRules,
    external: yield* ExternalBearers,
    scope: yield* Effect.scope,
    remembered: new Map<string, Verified>()
  }
  const byToken = authenticateAt(services)
  const bySession = authenticateSessionAt(services)
  const atPresent =
    (byText: typeof byToken): Authentication["Service"]["authenticate"] =>
    (tenant, token) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => byText(tenant, Redacted.value(token), now))
  return Authentication.of({
    authenticate: atPresent(byToken),
    authenticateSession: atPresent(bySession),
    authenticateAt: byToken,
    authenticateSessionAt: bySession
  })
})

export const layer = Layer.effect(Authentication, make)
