/** The use cases of users, tokens and logins, over SQLite in memory, in virtual time. */
import type { Role } from "@wcs/domain/access/Privilege"
import * as RateLimiterMemory from "@wcs/domain/access/RateLimiterMemory"
import { defaultRateLimits, type RateLimits } from "@wcs/domain/access/RateLimitTier"
import type { CallersTenant } from "@wcs/domain/access/Tenant"
import type { Actor } from "@wcs/domain/audit/AuditEntry"
import { EventStore } from "@wcs/domain/audit/EventStore"
import * as Authentication from "@wcs/domain/authentication/Authentication"
import * as LegacyAuthentication from "@wcs/domain/legacy/LegacyAuthentication"
import * as Login from "@wcs/domain/login/Login"
import * as PasswordCheck from "@wcs/domain/login/PasswordCheck"
import * as SecondFactors from "@wcs/domain/second-factor/SecondFactors"
import * as Rules from "@wcs/domain/service/Rules"
import * as Sessions from "@wcs/domain/session/Sessions"
import { defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import { Digest } from "@wcs/domain/shared/Digest"
import * as Id from "@wcs/domain/shared/Id"
import * as Notifications from "@wcs/domain/shared/Notifications"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { SingleSignOn } from "@wcs/domain/single-sign-on/SingleSignOn"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import * as Administration from "@wcs/domain/token/Administration"
import * as OAuthClients from "@wcs/domain/token/OAuthClients"
import * as PersonalTokens from "@wcs/domain/token/PersonalTokens"
import * as TokenExchange from "@wcs/domain/token/TokenExchange"
import * as Invites from "@wcs/domain/user/Invites"
import { Passwords } from "@wcs/domain/user/Passwords"
import * as Users from "@wcs/domain/user/Users"
import { make as digest } from "@wcs/keys/Digest"
import * as MasterKey from "@wcs/keys/MasterKey"
import * as Seal from "@wcs/keys/Seal"
import * as Tokens from "@wcs/keys/Tokens"
import * as Totp from "@wcs/keys/Totp"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { Context, Effect, Layer, Queue, Redacted, Result, type Scope } from "effect"
import { SecureRandom } from "effect/crypto"

/** What the use cases asked of others, in order. */
export class Asked extends Context.Service<
  Asked,
  {
    /** The calls of the digest, and some of the access store. */
    readonly calls: Array<string>
    /** Each `lastUsedAt` that the store was asked to write. */
    readonly touches: Queue.Queue<number>
    /** The hashes that passwords were compared with. */
    readonly compared: Array<string | null>
  }
>()("@wcs/deployment/test/Asked") {
  static readonly layer = Layer.effect(
    Asked,
    Effect.map(Queue.unbounded<number>(), (touches) => ({ calls: [], touches, compared: [] }))
  )
}

const watchedStores = Layer.effect(
  AccessStore,
  Effect.gen(function* () {
    const store = yield* AccessStore
    const { calls, touches } = yield* Asked
    const noted = (name: string) => Effect.sync(() => calls.push(name))
    return AccessStore.of({
      ...store,
      findClient: (tenantId, id) => Effect.andThen(noted("findClient"), store.findClient(tenantId, id)),
      findPersonalToken: (tenantId, hash) =>
        Effect.andThen(noted("findPersonalToken"), store.findPersonalToken(tenantId, hash)),
      listSigningKeys: Effect.andThen(noted("listSigningKeys"), store.listSigningKeys),
      // Other fibers run between this read and what is decided by it.
      listPersonalTokens: (tenantId) => Effect.tap(store.listPersonalTokens(tenantId), () => Effect.yieldNow),
      touchPersonalToken: (tenantId, id, at) =>
        Effect.andThen(Queue.offer(touches, at), store.touchPersonalToken(tenantId, id, at))
    })
  })
).pipe(Layer.provideMerge(StoreSqlite.layerMemory))

const watchedDigest = Layer.effect(
  Digest,
  Effect.map(Asked, ({ calls }) => {
    const noted = <A>(name: string, answer: A): A => {
      calls.push(name)
      return answer
    }
    return Digest.of({
      sha256: (text) => noted("sha256", digest.sha256(text)),
      equals: (one, two) => noted("equals", digest.equals(one, two))
    })
  })
)

/** Compares passwords after one yield to other fibers, without the cost of argon2. */
const watchedPasswords = Layer.effect(
  Passwords,
  Effect.map(Asked, ({ compared }) => {
    let salt = 0
    const hashed = (password: Redacted.Redacted, salt: string) =>
      `${salt}$${digest.sha256(salt + Redacted.value(password))}`
    return Passwords.of({
      isCommon: () => Effect.succeed(false),
      hash: (password) => Effect.sync(() => hashed(password, String(++salt))),
      verify: (password, hash) =>
        Effect.as(
          Effect.andThen(
            Effect.sync(() => compared.push(hash)),
            Effect.yieldNow
          ),
          hash !== null && hash === hashed(password, hash.split("$")[0] ?? "")
        )
    })
  })
)

export const operator: Actor = { account: "urn:wcs:operator", bearer: null, requestId: "01ARZ3NDEKTSV4RRFFQ69G5FAV" }

const masterKey = Result.getOrThrow(MasterKey.fromBytes(new Uint8Array(32).fill(1)))

const deployment = (limits: RateLimits) =>
  Layer.mergeAll(
    Layer.mergeAll(Authentication.layer, LegacyAuthentication.layer, Login.layer, TokenExchange.layer),
    Layer.mergeAll(Users.layer, Invites.layer, PersonalTokens.layer, OAuthClients.layer)
  ).pipe(
    Layer.provideMerge(Layer.mergeAll(Administration.layer, Sessions.layer, SecondFactors.layer, PasswordCheck.layer)),
    Layer.provide(Layer.mock(SingleSignOn, { requiredFor: () => Effect.succeedNone })),
    Layer.provideMerge(Tokens.layer),
    Layer.provideMerge(Layer.mergeAll(watchedStores, watchedDigest, watchedPasswords, Rules.layer)),
    Layer.provideMerge(Layer.mergeAll(RateLimiterMemory.layer(limits), Totp.layer, Notifications.layer, Seal.layer)),
    Layer.provide(MasterKey.layer(masterKey)),
    Layer.provideMerge(Id.layer),
    Layer.provide(SecureRandom.layerWebCrypto),
    Layer.provideMerge(Layer.merge(Asked.layer, Layer.succeed(RequestId, operator.requestId)))
  )

type Deployment = ReturnType<typeof deployment>

/** Runs a test with use cases of its own, under these limits. */
export const withLimits =
  (limits: RateLimits) =>
  <A, E>(
    body: Effect.Effect<A, E, Layer.Success<Deployment> | Scope.Scope>
  ): Effect.Effect<A, E | Layer.Error<Deployment>, Scope.Scope> =>
    Effect.provide(body, deployment(limits), { local: true })

export const withUseCases = withLimits(defaultRateLimits)

/** The calls that an effect makes. */
export const askedBy = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const { calls } = yield* Asked
  const before = calls.length
  yield* Effect.exit(effect)
  return calls.slice(before)
})

/** The tenant of a call, in the time zone of `tenant`. */
export const callersTenant = (id: string): CallersTenant => ({ id, timeZone: defaultTimeZone })

/** Creates a tenant; its name is its host. */
export const tenant = (name: string) =>
  Administration.Administration.use((admin) => admin.createTenant(name, [`${name}.example`], operator))

export const password = "correct horse"

/** A verified user of a tenant, with the password. */
export const putUser = Effect.fnUntraced(function* (tenantId: string, email: string, role: Role = "Viewer") {
  const users = yield* Users.Users
  yield* Administration.Administration.use((admin) => admin.createUser(tenantId, email, role, operator))
  yield* users.setPassword(tenantId, email, Redacted.make(password), operator)
  return yield* users.setVerified(tenantId, email, true, operator)
})

/** The credentials of a legacy login. */
export const login = (tenantId: string, username: string, given = password, address = "192.0.2.1") =>
  LegacyAuthentication.LegacyAuthentication.use(({ basic }) =>
    basic(callersTenant(tenantId), { username, password: Redacted.make(given), address })
  )

/** The result of a legacy login; for a refusal its tag only. */
export const told = (...given: Parameters<typeof login>) =>
  Effect.match(login(...given), { onFailure: ({ _tag }) => _tag, onSuccess: () => "in" as const })

/** Issues a legacy token to a logged-in caller. */
export const issueTo = (caller: LegacyAuthentication.LegacyCallerOf) =>
  LegacyAuthentication.LegacyAuthentication.use(({ issue }) => issue(String(caller.user.number))).pipe(
    Effect.provideService(LegacyAuthentication.LegacyCaller, caller)
  )

/** Whether a token is valid on the legacy surface. */
export const isLegacy = (tenantId: string, token: Redacted.Redacted) =>
  LegacyAuthentication.LegacyAuthentication.use(({ bearer }) => bearer(callersTenant(tenantId), token)).pipe(
    Effect.match({ onFailure: () => false, onSuccess: () => true })
  )

/** Whether a token is valid on the newer surface. */
export const isNewer = (tenantId: string, token: Redacted.Redacted) =>
  Authentication.Authentication.use(({ authenticate }) => authenticate(callersTenant(tenantId), token)).pipe(
    Effect.match({ onFailure: () => false, onSuccess: () => true })
  )

const everything = {
  conditions: [],
  direction: "asc",
  pageSize: 1000,
  after: undefined,
  includeDeleted: false,
  includeTotal: false
} as const

/** The tenant's audit entries, oldest first. */
export const auditOf = (tenantId: string) =>
  Effect.map(
    EventStore.use((store) => store.audit(tenantId, everything)),
    ({ items }) => items
  )
