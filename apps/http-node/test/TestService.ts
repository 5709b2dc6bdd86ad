import { Administration } from "@wcs/domain/Administration"
import * as Id from "@wcs/domain/Id"
import type { RateLimits } from "@wcs/domain/RateLimitTier"
import * as Rules from "@wcs/domain/Rules"
import * as UseCases from "@wcs/domain/UseCases"
import { Peers } from "@wcs/http/Peers"
import * as Routes from "@wcs/http/Routes"
import * as AccessTokens from "@wcs/keys/AccessTokens"
import * as Digest from "@wcs/keys/Digest"
import * as MasterKey from "@wcs/keys/MasterKey"
import * as Seal from "@wcs/keys/Seal"
import * as RateLimiterMemory from "@wcs/store-memory/RateLimiterMemory"
import * as StoreMemory from "@wcs/store-memory/StoreMemory"
import { Clock, Context, Effect, Layer, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter, HttpServer } from "effect/http"
import * as MovedClock from "./MovedClock.ts"
import { type Answer, type Call, operator, otherHost, Service } from "./Service.ts"

const random = SecureRandom.layerWebCrypto
const masterKey = Layer.unwrap(Effect.map(MasterKey.generate, MasterKey.layer)).pipe(Layer.provide(random))
const infrastructure = (limits: RateLimits) =>
  Layer.mergeAll(
    StoreMemory.layer,
    Id.layer.pipe(Layer.provide(random)),
    Digest.layer,
    Rules.layer,
    RateLimiterMemory.layer(limits)
  )
const services = (limits: RateLimits) =>
  UseCases.layer.pipe(
    Layer.provideMerge(AccessTokens.layer.pipe(Layer.provide(Seal.layer.pipe(Layer.provide([masterKey, random]))))),
    Layer.provideMerge(infrastructure(limits))
  )

/** The peer of a request without a socket: what a header says of it is believed. */
const peers = Layer.succeed(
  Peers,
  Peers.of({
    of: ({ headers }) => ({
      address: headers["x-test-address"] ?? "192.0.2.1",
      secure: headers["x-test-plain"] === undefined
    })
  })
)

const toAnswer = async (response: Response): Promise<Answer> => {
  const text = await response.text()
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text,
    json: Result.getOrUndefined(Result.try((): unknown => JSON.parse(text)))
  }
}

const requestOf = (superAdmin: string, { address, body, headers, host = "localhost", method, path, ...call }: Call) => {
  const { rawBody, token = superAdmin } = call
  const content = rawBody ?? (body === undefined ? undefined : JSON.stringify(body))
  return new Request(`https://${host}${path}`, {
    method,
    headers: {
      host,
      ...(address === undefined ? {} : { "x-test-address": address }),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers
    },
    ...(content === undefined ? {} : { body: content })
  })
}

/** Two tenants, with a Super Admin of the first. */
const settle = Effect.gen(function* () {
  const administration = yield* Administration
  const tenant = yield* administration.createTenant("first", ["localhost"], operator)
  const otherTenant = yield* administration.createTenant("other", [otherHost], operator)
  yield* administration.createUser(tenant.id, "super@example.org", "Super Admin", operator)
  const made = yield* administration.createToken(tenant.id, "super@example.org", "test", null, operator)
  return { tenant, otherTenant, superAdmin: Redacted.value(made.secret) }
}).pipe(Effect.orDie)

/** The operator's hand, on the server's clock and not on the test's. */
const onClock = (operated: Administration["Service"], clock: Clock.Clock): Administration["Service"] => {
  const timed = Effect.provideService(Clock.Clock, clock)
  return Administration.of({
    createTenant: (...given) => timed(operated.createTenant(...given)),
    createUser: (...given) => timed(operated.createUser(...given)),
    createToken: (...given) => timed(operated.createToken(...given)),
    revokeToken: (...given) => timed(operated.revokeToken(...given)),
    createClient: (...given) => timed(operated.createClient(...given)),
    revokeClient: (...given) => timed(operated.revokeClient(...given))
  })
}

const make = Effect.fnUntraced(function* ({ advance, clock }: MovedClock.MovedClock) {
  const context = yield* Effect.context<Layer.Success<ReturnType<typeof services>>>()
  const routes = Routes.layer.pipe(Layer.provide([Layer.succeedContext(context), peers, HttpServer.layerServices]))
  const { dispose, handler } = HttpRouter.toWebHandler(routes, { disableLogger: true })
  yield* Effect.addFinalizer(() => Effect.promise(dispose))
  const settled = yield* settle
  const time = Context.make(Clock.Clock, clock)
  return Service.of({
    ...settled,
    administration: onClock(yield* Administration, clock),
    advance,
    call: (call) => Effect.promise(async () => toAnswer(await handler(requestOf(settled.superAdmin, call), time)))
  })
})

/** Limits that no test reaches unless it means to. */
export const raisedLimits: RateLimits = {
  standard: 1_000_000,
  intensive: 1_000_000,
  unauthenticated: 1_000_000,
  tokenFailures: 1_000_000,
  tokensIssued: 1_000_000
}

/** The whole service in this process, without a socket. */
export const layerService = (limits: RateLimits = raisedLimits): Layer.Layer<Service> =>
  Layer.unwrap(
    Effect.map(MovedClock.make, (moved) =>
      Layer.effect(Service, make(moved)).pipe(
        Layer.provide(Layer.orDie(services(limits))),
        Layer.provide(Layer.succeed(Clock.Clock, moved.clock))
      )
    )
  )

export { layerService as layerInProcess }
