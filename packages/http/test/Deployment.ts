import * as Id from "@wcs/domain/Id"
import { defaultRateLimits, type RateLimits } from "@wcs/domain/RateLimitTier"
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
import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter, HttpServer } from "effect/http"

/** Requests without a socket: what a header says of the peer is believed. */
const peers = Layer.succeed(
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
const seal = Seal.layer.pipe(Layer.provide([masterKey, random]))

/** A whole deployment in this process, over stores that are handed in (in memory where none are). */
export const services = (
  stores: typeof StoreMemory.layer = StoreMemory.layer,
  limits: RateLimits = defaultRateLimits
) =>
  UseCases.layer.pipe(
    Layer.provideMerge(AccessTokens.layer.pipe(Layer.provide(seal))),
    Layer.provideMerge(Layer.mergeAll(stores, ids, Digest.layer, Rules.layer, RateLimiterMemory.layer(limits)))
  )

/** The router as a function from request to response, without a socket. */
export class Fetch extends Context.Service<Fetch, (request: Request) => Promise<Response>>()("@wcs/http/test/Fetch") {}

/** Serves services in this process; they stay at hand, so that a test can act behind the interface's back. */
export const layer = <E>(deployment: Layer.Layer<Layer.Success<ReturnType<typeof services>>, E>) =>
  Layer.effect(
    Fetch,
    Effect.gen(function* () {
      const context = yield* Effect.context<Layer.Success<ReturnType<typeof services>>>()
      const routes = Routes.layer.pipe(Layer.provide([Layer.succeedContext(context), peers, HttpServer.layerServices]))
      const { dispose, handler } = HttpRouter.toWebHandler(routes, { disableLogger: true })
      yield* Effect.addFinalizer(() => Effect.promise(dispose))
      return Fetch.of((request) => handler(request))
    })
  ).pipe(Layer.provideMerge(deployment))
