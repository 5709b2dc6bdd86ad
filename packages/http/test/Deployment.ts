import { Administration } from "@wcs/domain/access/Administration"
import type { Role } from "@wcs/domain/access/Privilege"
import { defaultRateLimits, type RateLimits } from "@wcs/domain/access/RateLimitTier"
import { operatorUrn } from "@wcs/domain/audit/AuditEntry"
import * as Id from "@wcs/domain/shared/Id"
import { InvalidArgument } from "@wcs/domain/shared/InvalidArgument"
import * as Notifications from "@wcs/domain/shared/Notifications"
import * as Rules from "@wcs/domain/shared/Rules"
import * as UseCases from "@wcs/domain/shared/UseCases"
import { DomainProof } from "@wcs/domain/single-sign-on/DomainProof"
import { OpenIdConnect } from "@wcs/domain/single-sign-on/OpenIdConnect"
import { Saml } from "@wcs/domain/single-sign-on/Saml"
import { AddressGuard } from "@wcs/domain/webhook/AddressGuard"
import * as Routes from "@wcs/http/Routes"
import { pathMatching } from "@wcs/http/request/PathMatching"
import { Peers } from "@wcs/http/request/Peers"
import * as Digest from "@wcs/keys/Digest"
import * as MasterKey from "@wcs/keys/MasterKey"
import * as Passwords from "@wcs/keys/Passwords"
import * as Seal from "@wcs/keys/Seal"
import * as Tokens from "@wcs/keys/Tokens"
import * as Totp from "@wcs/keys/Totp"
import * as RateLimiterMemory from "@wcs/store-memory/RateLimiterMemory"
import * as StoreMemory from "@wcs/store-memory/StoreMemory"
import { Context, Effect, Layer, Record, Redacted, References, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter, HttpServer } from "effect/http"

/** Requests without a socket: what a header says of the peer is believed. */
export const peers = Layer.succeed(
  Peers,
  Peers.of({
    of: (request) => ({
      address: request.headers["x-test-address"] ?? "192.0.2.1",
      secure: request.headers["x-test-plain"] === undefined
    })
  })
)

const random = SecureRandom.layerWebCrypto
const ids = Id.layer.pipe(Layer.provide(random))
const masterKey = Layer.unwrap(Effect.map(MasterKey.generate, MasterKey.layer)).pipe(Layer.provide(random))
const passwords = Layer.merge(Passwords.layer, Totp.layer).pipe(Layer.provide(random))
const seal = Seal.layer.pipe(Layer.provide([masterKey, random]))

/** Limits that no test reaches unless it means to. */
const raised: RateLimits = Record.map(defaultRateLimits, () => 1_000_000)

/** Nothing is sent from here: it does not matter where to. */
const anyAddress = Layer.succeed(AddressGuard, { check: () => Effect.void })

/** No identity provider is set up here. */
const noProviders = Layer.mergeAll(
  Layer.mock(Saml, {
    metadataOf: () => "",
    readCertificate: () => Result.fail(new InvalidArgument({ field: "saml", reason: "is not supported" }))
  }),
  Layer.mock(OpenIdConnect, {}),
  Layer.mock(DomainProof, {})
)

/** A whole deployment in this process, over stores that are handed in (in memory where none are). */
export const services = (stores: typeof StoreMemory.layer = StoreMemory.layer, limits: RateLimits = raised) =>
  UseCases.layer.pipe(
    Layer.provide(noProviders),
    Layer.provide([seal, random, Notifications.layer, anyAddress]),
    Layer.provideMerge(Tokens.layer.pipe(Layer.provide(seal))),
    Layer.provideMerge(
      Layer.mergeAll(stores, ids, passwords, Digest.layer, Rules.layer, RateLimiterMemory.layer(limits))
    )
  )

/** The router as a function from request to response, without a socket. */
export class Fetch extends Context.Service<Fetch, (request: Request) => Promise<Response>>()("@wcs/http/test/Fetch") {}

/** All that routes are served over. */
export type Services = Layer.Success<ReturnType<typeof services>>

/** Serves routes in this process, over services that are there. Errors of ours are logged unless it is quiet. */
export const serve = Effect.fnUntraced(function* (
  routes: Layer.Layer<never, never, Layer.Services<typeof Routes.layer>>,
  isQuiet = false
) {
  const context = yield* Effect.context<Services>()
  const whole = routes.pipe(Layer.provide([Layer.succeedContext(context), peers, HttpServer.layerServices]))
  const { dispose, handler } = HttpRouter.toWebHandler(whole, { disableLogger: true, routerConfig: pathMatching })
  yield* Effect.addFinalizer(() => Effect.promise(dispose))
  const during = isQuiet ? Context.make(References.MinimumLogLevel, "None") : Context.empty()
  return Fetch.of((request) => handler(request, during))
})

const operator = { account: operatorUrn, bearer: null, requestId: "operator" }

/** The tenant of `localhost`, with personal tokens of new users of its. */
export const settle = Effect.gen(function* () {
  const administration = yield* Administration
  const tenant = yield* administration.createTenant("first", ["localhost"], operator)
  let users = 0
  return {
    tenant,
    tokenOf: Effect.fnUntraced(function* (role: Role) {
      const email = `user${++users}@example.org`
      yield* administration.createUser(tenant.id, email, role, operator)
      const { secret } = yield* administration.createToken(tenant.id, email, "test", null, operator)
      return Redacted.value(secret)
    }, Effect.orDie)
  }
}).pipe(Effect.orDie)

/** The tenant of `localhost`, made once. */
export class Settled extends Context.Service<Settled, Effect.Success<typeof settle>>()("@wcs/http/test/Settled") {}

/** Serves every route over services; they stay at hand, so that a test can act behind the interface's back. */
export const layer = <E>(deployment: Layer.Layer<Services, E>) =>
  Layer.merge(Layer.effect(Fetch, serve(Routes.layer)), Layer.effect(Settled, settle)).pipe(
    Layer.provideMerge(deployment)
  )

/** What one request came to. */
export interface Answer {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly json: unknown
}

export interface Call {
  readonly method?: string
  readonly path: string
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** Makes one request of the first tenant's host. */
export const call = Effect.fnUntraced(function* ({ body, headers = {}, method = "GET", path, token }: Call) {
  const fetch = yield* Fetch
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const init = { method, headers: { host: "localhost", ...authorization, ...headers } }
  const request = new Request(`https://localhost${path}`, body === undefined ? init : { ...init, body })
  const response = yield* Effect.promise(() => fetch(request))
  const text = yield* Effect.promise(() => response.text())
  const json = Result.getOrUndefined(Result.try((): unknown => JSON.parse(text)))
  return { status: response.status, headers: Object.fromEntries(response.headers), text, json } satisfies Answer
})
