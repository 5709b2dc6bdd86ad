import { type TenantGateway, TenantGateways } from "@wcs/domain/verification/TenantGateways"
import { Context, Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { CircuitBreaker } from "effect/persistence"
import type { Place } from "./Gateway.ts"
import { makeAsking } from "./HttpRegister.ts"
import { defaultOptions } from "./HttpRegisterOptions.ts"

/**
 * Fetches from gateways that tenants chose. The implementation must guard addresses, and limit the time and the size of
 * responses.
 */
export class GatewayFetch extends Context.Service<
  GatewayFetch,
  { readonly fetch: (url: string, init: RequestInit) => Promise<Response> }
>()("@wcs/register/GatewayFetch") {}

const placeOf = ({ secret, url }: TenantGateway): Place => ({ url, access: { _tag: "Bearer", token: secret } })

const make = Effect.gen(function* () {
  const { fetch } = yield* GatewayFetch
  const { ask, probe } = yield* makeAsking(defaultOptions, "verificationSource")
  const guarded: typeof globalThis.fetch = (url, init) => fetch(String(url), init ?? {})
  return TenantGateways.of({
    ask: (question, gateway) =>
      ask(question, placeOf(gateway), gateway.sourceId).pipe(Effect.provideService(FetchHttpClient.Fetch, guarded)),
    probe: (question, gateway) =>
      probe(question, placeOf(gateway)).pipe(Effect.provideService(FetchHttpClient.Fetch, guarded))
  })
})

/** The gateways of verification sources, each with its own circuit breaker. */
export const layer = Layer.effect(TenantGateways, make).pipe(
  Layer.provide([FetchHttpClient.layer, CircuitBreaker.layerStoreMemory()])
)
