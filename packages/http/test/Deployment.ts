import type { Role } from "@wcs/domain/access/Privilege"
import * as RateLimiterMemory from "@wcs/domain/access/RateLimiterMemory"
import { defaultRateLimits, type RateLimits } from "@wcs/domain/access/RateLimitTier"
import { operatorUrn } from "@wcs/domain/audit/AuditEntry"
import * as Rules from "@wcs/domain/service/Rules"
import * as UseCases from "@wcs/domain/service/UseCases"
import * as Id from "@wcs/domain/shared/Id"
import { InvalidArgument } from "@wcs/domain/shared/InvalidArgument"
import * as Notifications from "@wcs/domain/shared/Notifications"
import { DomainProof } from "@wcs/domain/single-sign-on/DomainProof"
import { OpenIdConnect } from "@wcs/domain/single-sign-on/OpenIdConnect"
import { Saml } from "@wcs/domain/single-sign-on/Saml"
import { Administration } from "@wcs/domain/token/Administration"
import { TenantGateways } from "@wcs/domain/verification/TenantGateways"
import { AddressGuard } from "@wcs/domain/webhook/AddressGuard"
import { fetchBy } from "@wcs/http/Fetch"
import * as Edge from "@wcs/http/pipeline/Edge"
import * as Routes from "@wcs/http/Routes"
import type { Incoming, Peer } from "@wcs/http/request/Incoming"
import * as Digest from "@wcs/keys/Digest"
import * as DocumentSeal from "@wcs/keys/DocumentSeal"
import * as MasterKey from "@wcs/keys/MasterKey"
import * as Passwords from "@wcs/keys/Passwords"
import * as Seal from "@wcs/keys/Seal"
import * as Tokens from "@wcs/keys/Tokens"
import * as Totp from "@wcs/keys/Totp"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { Context, Effect, Layer, Record, Redacted, References, Result } from "effect"
import { SecureRandom } from "effect/crypto"

/** Requests without a socket. Headers define the client. */
const peerOf = ({ headers }: Request): Peer => ({
  address: headers.get("x-test-address") ?? "192.0.2.1",
  secure: !headers.has("x-test-plain")
})

const random = SecureRandom.layerWebCrypto
const ids = Id.layer.pipe(Layer.provide(random))
const masterKey = Layer.unwrap(Effect.map(MasterKey.generate, MasterKey.layer)).pipe(Layer.provide(random))
const passwords = Layer.merge(Passwords.layer, Totp.layer).pipe(Layer.provide(random))
const documentSeal = DocumentSeal.layer.pipe(Layer.provide(random))
const seal = Seal.layer.pipe(Layer.provide([masterKey, random]))

/** Limits that tests reach only on purpose. */
const raised: RateLimits = Record.map(defaultRateLimits, () => 1_000_000)

/** Accepts every URL, because this deployment sends nothing. */
const anyAddress = Layer.succeed(AddressGuard, { check: () => Effect.void })

/** Single sign-on without identity providers. */
const noProviders = Layer.mergeAll(
  Layer.mock(Saml, {
    metadataOf: () => "",
    readCertificate: () => Result.fail(new InvalidArgument({ field: "saml", reason: "is not supported" }))
  }),
  Layer.mock(OpenIdConnect, {}),
  Layer.mock(DomainProof, {}),
  Layer.mock(TenantGateways, {})
)

/** A complete deployment in this process. Default: stores in memory. */
export const services = (
  stores: typeof StoreSqlite.layerMemory = StoreSqlite.layerMemory,
  limits: RateLimits = raised
) =>
  UseCases.layer.pipe(
    Layer.provide(noProviders),
    Layer.provide([random, Notifications.layer, anyAddress]),
    Layer.provide(documentSeal),
    Layer.provideMerge(seal),
    Layer.provideMerge(Tokens.layer.pipe(Layer.provide(seal))),
    Layer.provideMerge(
      Layer.mergeAll(stores, ids, passwords, Digest.layer, Rules.layer, RateLimiterMemory.layer(limits))
    )
  )

/** The pipeline as a function from request to response, without a socket. */
export class Fetch extends Context.Service<Fetch, (request: Request) => Promise<Response>>()("@wcs/http/test/Fetch") {}

/** Requests run without a tracer, as in a server without telemetry. */
const untraced = Context.make(References.TracerEnabled, false)

/** Every route in this process, with references such as the clock and the log. */
export const serve = Effect.fnUntraced(function* (references: Context.Context<never> = Context.empty()) {
  const answer = yield* Effect.flatMap(Routes.make, Edge.make)
  const late = (request: Incoming): Incoming => ({
    ...request,
    waitedMillis: () => Number(request.headers["x-test-waited"] ?? 0)
  })
  const fetch = fetchBy((request, context) => answer(late(request), context), peerOf)
  return Fetch.of((request) => fetch(request, Context.merge(untraced, references)))
})

/** The services that routes need. */
export type Services = Layer.Success<ReturnType<typeof services>>

export const operator = { account: operatorUrn, bearer: null, requestId: "operator" }

/** Creates the tenant of `localhost`, and personal tokens for new users. */
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

/** The tenant of `localhost`, created once. */
export class Settled extends Context.Service<Settled, Effect.Success<typeof settle>>()("@wcs/http/test/Settled") {}

/** Serves every route. The services are also provided, so tests can use them directly. */
export const layer = <E>(deployment: Layer.Layer<Services, E>) =>
  Layer.merge(Layer.effect(Fetch, serve()), Layer.effect(Settled, settle)).pipe(Layer.provideMerge(deployment))

/** The response to a request. */
export interface Answer {
  readonly status: number
  /** Names in lower case. */
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

/** Sends a request to the host of the first tenant. */
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
