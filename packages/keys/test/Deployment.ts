import type { Account } from "@wcs/domain/access/Account"
import * as RateLimiterMemory from "@wcs/domain/access/RateLimiterMemory"
import type { RateLimits } from "@wcs/domain/access/RateLimitTier"
import type { CallersTenant } from "@wcs/domain/access/Tenant"
import type { Actor } from "@wcs/domain/audit/AuditEntry"
import * as Authentication from "@wcs/domain/authentication/Authentication"
import * as Rules from "@wcs/domain/service/Rules"
import { SessionStore } from "@wcs/domain/session/SessionStore"
import { defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import { Digest } from "@wcs/domain/shared/Digest"
import * as Id from "@wcs/domain/shared/Id"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import * as Administration from "@wcs/domain/token/Administration"
import * as TokenExchange from "@wcs/domain/token/TokenExchange"
import * as AccessTokens from "@wcs/keys/AccessTokens"
import { make as digest } from "@wcs/keys/Digest"
import * as MasterKey from "@wcs/keys/MasterKey"
import * as Seal from "@wcs/keys/Seal"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { Context, Effect, Layer, Option, Queue, Result, type Scope } from "effect"
import { SecureRandom } from "effect/crypto"

/**
 * Records the calls of the store and of the digest in order, and each `lastUsedAt` that the store was asked to write.
 */
export class Asked extends Context.Service<
  Asked,
  { readonly calls: Array<string>; readonly touches: Queue.Queue<number> }
>()("@wcs/keys/test/Asked") {
  static readonly layer = Layer.effect(
    Asked,
    Effect.map(Queue.unbounded<number>(), (touches) => ({ calls: Array.of<string>(), touches }))
  )
}

const watchedStore = Layer.effect(
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
      touchPersonalToken: (tenantId, id, at) =>
        Effect.andThen(Queue.offer(touches, at), store.touchPersonalToken(tenantId, id, at))
    })
  })
).pipe(Layer.provide(StoreSqlite.layerMemory))

const sessionStore = Layer.effect(SessionStore, SessionStore).pipe(Layer.provide(StoreSqlite.layerMemory))

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

const limits: RateLimits = {
  standard: 100,
  intensive: 10,
  tenantStandard: 1000,
  tenantIntensive: 100,
  unauthenticated: 10,
  tokenFailures: 3,
  addressFailures: 7,
  networkFailures: 28,
  loginFailures: 3,
  tokensIssued: 2
}
const masterKey = Result.getOrThrow(MasterKey.fromBytes(new Uint8Array(32).fill(1)))

/** Authentication, token exchange and administration over SQLite in memory that records its calls. */
const deployment = Layer.mergeAll(TokenExchange.layer, Authentication.layer, Administration.layer).pipe(
  Layer.provideMerge(AccessTokens.layer),
  Layer.provideMerge(
    Layer.mergeAll(watchedStore, sessionStore, watchedDigest, Rules.layer, RateLimiterMemory.layer(limits))
  ),
  Layer.provide(Seal.layer),
  Layer.provide(MasterKey.layer(masterKey)),
  Layer.provideMerge(Id.layer),
  Layer.provide(SecureRandom.layerWebCrypto),
  Layer.provideMerge(Asked.layer)
)

/** Runs a test with a deployment of its own. */
export const withDeployment = <A, E>(
  body: Effect.Effect<A, E, Layer.Success<typeof deployment> | Scope.Scope>
): Effect.Effect<A, E | Layer.Error<typeof deployment>, Scope.Scope> =>
  Effect.provide(body, deployment, { local: true })

export const operator: Actor = { account: "urn:wcs:operator", bearer: null, requestId: "01ARZ3NDEKTSV4RRFFQ69G5FAV" }

/** The tenant of a call, in the time zone of `tenant`. */
export const callersTenant = (id: string): CallersTenant => ({ id, timeZone: defaultTimeZone })

/** Creates a tenant; its name is its host. */
export const tenant = (name: string) =>
  Administration.Administration.use((admin) => admin.createTenant(name, [`${name}.example`], operator))

/** The store, with every account deactivated at 00:00:05. A clock before that time has been set back. */
export const deactivated = Effect.map(AccessStore, (store) => {
  const deactivate = <Found extends { readonly account: Account }>(found: Found): Found => ({
    ...found,
    account: { ...found.account, deactivatedAt: 5_000 }
  })
  return AccessStore.of({
    ...store,
    findClient: (...key) => Effect.map(store.findClient(...key), Option.map(deactivate)),
    findPersonalToken: (...key) => Effect.map(store.findPersonalToken(...key), Option.map(deactivate))
  })
})

/** The calls that an effect makes. */
export const askedBy = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const { calls } = yield* Asked
  const before = calls.length
  yield* Effect.exit(effect)
  return calls.slice(before)
})
