import { Clock, Context, Data, Effect, Layer, Option, Redacted } from "effect"
import * as Session from "../login/Session.ts"
import { SessionStore } from "../login/SessionStore.ts"
import { Digest } from "../shared/Digest.ts"
import type { Instant } from "../shared/Instant.ts"
import { AccessStore } from "./AccessStore.ts"
import { AccessTokens } from "./AccessToken.ts"
import { accountUrn } from "./Account.ts"
import type { Caller } from "./Caller.ts"
import { ExternalBearers } from "./ExternalBearers.ts"
import { isTokenShaped } from "./OpaqueToken.ts"
import * as PersonalToken from "./PersonalToken.ts"
import { PrivilegeRules } from "./Privilege.ts"
import { TokenLifetime } from "./TokenLifetime.ts"

/** No bearer token, or none that is good here: never said which (§7.1, 401). */
export class Unauthenticated extends Data.TaggedError("Unauthenticated") {}

/** Tells who calls, on the newer surface (§5.2). */
export class Authentication extends Context.Service<
  Authentication,
  {
    /** The caller that a bearer token makes, for one tenant. Empty text is no token. */
    readonly authenticate: (
      tenantId: string,
      token: Redacted.Redacted
    ) => Effect.Effect<Caller["Service"], Unauthenticated>
    /** The caller of a live session of the tenant, by the value of its cookie. */
    readonly authenticateSession: (
      tenantId: string,
      token: Redacted.Redacted
    ) => Effect.Effect<Caller["Service"], Unauthenticated>
  }
>()("@wcs/domain/Authentication") {}

/** A token that was verified, and what makes it stale. */
interface Verified {
  readonly caller: Caller["Service"]
  /** Unix seconds, or null. */
  readonly expiresAt: number | null
  readonly epoch: number
  /** When the use of a personal token or a session was last stored. */
  touchedAt: Instant
}

/** How many verified tokens are remembered; the oldest is forgotten first. */
const rememberedTokens = 10_000
/** No token that we make is longer. */
const maxTokenLength = 4096

export const make = Effect.gen(function* () {
  const store = yield* AccessStore
  const sessions = yield* SessionStore
  const accessTokens = yield* AccessTokens
  const digest = yield* Digest
  const lifetime = yield* TokenLifetime
  const privilegeRules = yield* PrivilegeRules
  const external = yield* ExternalBearers
  const scope = yield* Effect.scope
  const remembered = new Map<string, Verified>()

  const fromPersonal = Effect.fnUntraced(function* (hash: string, epoch: number, now: Instant) {
    const found = yield* store.findPersonalToken(hash)
    return Option.flatMap(found, ({ account, token }): Option.Option<Verified> => {
      const isLive = lifetime.isLive(PersonalToken.validityOf(token), now)
      if (!isLive || lifetime.isRevoked({ revokedAt: account.deactivatedAt })) return Option.none()
      const caller: Caller["Service"] = {
        tenantId: token.tenantId,
        account: accountUrn(account.id),
        privileges: privilegeRules.privilegesOf(account.role),
        bearer: { kind: "personal", id: token.id },
        rateLimitKey: accountUrn(account.id),
        rateLimit: account.rateLimit
      }
      return Option.some({ caller, expiresAt: token.expiresAt, epoch, touchedAt: token.lastUsedAt ?? 0 })
    })
  })

  const fromAccessToken = Effect.fnUntraced(function* (text: string, epoch: number) {
    const claims = yield* accessTokens.verify(text)
    if (Option.isNone(claims)) return Option.none<Verified>()
    const { clientId, expiresAt, tenantId } = claims.value
    const found = yield* store.findClient(clientId)
    return Option.flatMap(found, ({ account, client }): Option.Option<Verified> => {
      const isDead =
        client.tenantId !== tenantId ||
        lifetime.isRevoked(client) ||
        lifetime.isRevoked({ revokedAt: account.deactivatedAt })
      if (isDead) return Option.none()
      const caller: Caller["Service"] = {
        tenantId,
        account: accountUrn(account.id),
        privileges: privilegeRules.privilegesOf(account.role),
        bearer: { kind: "oauth", id: clientId },
        rateLimitKey: clientId,
        rateLimit: account.rateLimit
      }
      return Option.some({ caller, expiresAt, epoch, touchedAt: 0 })
    })
  })

  const remember = (hash: string, verified: Option.Option<Verified>) => {
    if (Option.isNone(verified)) return Effect.fail(new Unauthenticated())
    const [oldest] = remembered.keys()
    if (remembered.size >= rememberedTokens && oldest !== undefined) remembered.delete(oldest)
    remembered.set(hash, verified.value)
    return Effect.succeed(verified.value)
  }

  const verify = Effect.fnUntraced(function* (text: string, hash: string, epoch: number, now: Instant) {
    const verified = text.startsWith(PersonalToken.prefix)
      ? PersonalToken.isWellFormed(text)
        ? yield* fromPersonal(hash, epoch, now)
        : Option.none()
      : yield* fromAccessToken(text, epoch)
    return yield* remember(hash, verified)
  })

  const verifySession = Effect.fnUntraced(function* (hash: string, epoch: number, now: Instant) {
    const found = yield* sessions.find(hash)
    const verified = Option.flatMap(found, ({ account, session }): Option.Option<Verified> => {
      const isDead = !Session.isLive(session, now) || lifetime.isRevoked({ revokedAt: account.deactivatedAt })
      if (isDead) return Option.none()
      const caller: Caller["Service"] = {
        tenantId: session.tenantId,
        account: accountUrn(account.id),
        privileges: privilegeRules.privilegesOf(account.role),
        bearer: { kind: "session", id: session.id },
        rateLimitKey: accountUrn(account.id),
        rateLimit: account.rateLimit,
        authenticatedAt: session.authenticatedAt
      }
      const expiresAt = Math.floor(session.expiresAt / 1000)
      return Option.some({ caller, expiresAt, epoch, touchedAt: session.seenAt })
    })
    return yield* remember(hash, verified)
  })

  /** The caller, where the token is this tenant's and not over: asked at every call, of a remembered token too. */
  const callerOf = (verified: Verified, tenantId: string, now: Instant) => {
    const { caller } = verified
    if (caller.tenantId !== tenantId || lifetime.isExpired(verified, now)) return Effect.fail(new Unauthenticated())
    if (caller.bearer.kind === "oauth" || now - verified.touchedAt < Session.touchEveryMillis)
      return Effect.succeed(caller)
    verified.touchedAt = now
    const { id, kind } = caller.bearer
    const touch = kind === "session" ? sessions.touch(id, now) : store.touchPersonalToken(id, now)
    // Stored beside the call, which does not wait for it.
    return Effect.as(Effect.forkIn(touch, scope), caller)
  }

  /** Another server may have seen the session in use later than this one: only the store tells that it is idle. */
  const isCurrent = (verified: Verified, kind: "token" | "session", epoch: number, now: Instant): boolean => {
    const isSession = verified.caller.bearer.kind === "session"
    if (verified.epoch !== epoch || isSession !== (kind === "session")) return false
    return !isSession || !Session.isIdle({ seenAt: verified.touchedAt }, now)
  }

  /** The caller of a token that is none of ours. It is verified at each call: what it rests on moves no epoch. */
  const fromExternal = (tenantId: string, token: Redacted.Redacted, refusal: Unauthenticated) =>
    Effect.flatMap(
      external(tenantId, token),
      Option.match({ onNone: () => Effect.fail(refusal), onSome: (caller) => Effect.succeed(caller) })
    )

  const authenticate: Authentication["Service"]["authenticate"] = (tenantId, token) => {
    const text = Redacted.value(token)
    if (text === "" || text.length > maxTokenLength) return Effect.fail(new Unauthenticated())
    return Effect.flatMap(Effect.zip(Clock.currentTimeMillis, store.epoch), ([now, epoch]) => {
      const hash = digest.sha256(text)
      const known = remembered.get(hash)
      return known !== undefined && isCurrent(known, "token", epoch, now)
        ? callerOf(known, tenantId, now)
        : Effect.flatMap(verify(text, hash, epoch, now), (verified) => callerOf(verified, tenantId, now)).pipe(
            Effect.catch((refusal) => fromExternal(tenantId, token, refusal))
          )
    })
  }

  const authenticateSession: Authentication["Service"]["authenticateSession"] = (tenantId, token) => {
    const text = Redacted.value(token)
    if (!isTokenShaped(text)) return Effect.fail(new Unauthenticated())
    return Effect.flatMap(Effect.zip(Clock.currentTimeMillis, store.epoch), ([now, epoch]) => {
      const hash = digest.sha256(text)
      const known = remembered.get(hash)
      return known !== undefined && isCurrent(known, "session", epoch, now)
        ? callerOf(known, tenantId, now)
        : Effect.flatMap(verifySession(hash, epoch, now), (verified) => callerOf(verified, tenantId, now))
    })
  }

  return Authentication.of({ authenticate, authenticateSession })
})

export const layer: Layer.Layer<
  Authentication,
  never,
  AccessStore | SessionStore | AccessTokens | Digest | TokenLifetime | PrivilegeRules
> = Layer.effect(Authentication, make)
