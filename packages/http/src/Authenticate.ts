import * as Api from "@wcs/api/Middleware"
import type { ResponseHeaders } from "@wcs/api/ResponseHeaders"
import { Authentication } from "@wcs/domain/Authentication"
import { Caller } from "@wcs/domain/Caller"
import { ErrorCodes } from "@wcs/domain/ErrorCode"
import { RateLimiter } from "@wcs/domain/RateLimitTier"
import { RequestId } from "@wcs/domain/RequestId"
import { CurrentTenant } from "@wcs/domain/Tenant"
import { Context, Effect, Layer, type Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { count } from "./LimitRate.ts"
import { Peers } from "./Peers.ts"
import { answerOf } from "./Refused.ts"

/** The 401, raised before the envelope is built: a message and no code (section 7.1; decisions, section 1). */
const unauthorized = HttpServerResponse.jsonUnsafe(
  { message: "Unauthorized to perform this action" },
  { status: 401, headers: { "www-authenticate": 'Bearer realm="wcs"' } }
)

/** Runs what needs a caller, or answers the 401; calls that fail are counted by the peer's address. */
export class BearerGate extends Context.Service<
  BearerGate,
  {
    readonly pass: <E, R>(
      token: Redacted.Redacted,
      httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
    ) => Effect.Effect<
      HttpServerResponse.HttpServerResponse,
      E,
      Exclude<R, Caller> | CurrentTenant | RequestId | ResponseHeaders | HttpServerRequest.HttpServerRequest
    >
  }
>()("@wcs/http/BearerGate") {}

export const make = Effect.gen(function* () {
  const authentication = yield* Authentication
  const limiter = yield* RateLimiter
  const codes = yield* ErrorCodes
  const peers = yield* Peers

  const refuse = Effect.gen(function* () {
    const { address } = peers.of(yield* HttpServerRequest.HttpServerRequest)
    yield* count(limiter, "unauthenticated", address)
    return unauthorized
  }).pipe(Effect.catch((refusal) => Effect.map(RequestId, (requestId) => answerOf(codes, refusal, requestId))))

  return BearerGate.of({
    pass: (token, httpEffect) =>
      CurrentTenant.pipe(
        Effect.flatMap((tenant) => authentication.authenticate(tenant.id, token)),
        Effect.matchEffect({
          onFailure: () => refuse,
          onSuccess: (caller) => Effect.provideService(httpEffect, Caller, caller)
        })
      )
  })
})

export const layerGate: Layer.Layer<BearerGate, never, Authentication | RateLimiter | ErrorCodes | Peers> =
  Layer.effect(BearerGate, make)

export const layer: Layer.Layer<Api.Authenticate, never, BearerGate> = Layer.effect(
  Api.Authenticate,
  Effect.map(BearerGate, (gate) => ({
    bearer: (httpEffect, { credential }) => gate.pass(credential, httpEffect)
  }))
)
