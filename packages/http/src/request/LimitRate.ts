import { GuardOf } from "@wcs/api/Guard"
import * as Api from "@wcs/api/Middleware"
import { ResponseHeaders, setQuota } from "@wcs/api/ResponseHeaders"
import { Caller } from "@wcs/domain/access/Caller"
import { type Quota, RateLimited, RateLimiter, type RateLimitTier } from "@wcs/domain/access/RateLimitTier"
import * as SecretFailures from "@wcs/domain/access/SecretFailures"
import { ErrorCodes } from "@wcs/domain/shared/ErrorCode"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { Context, Effect, Layer } from "effect"
import { answerOf } from "../refusal/Refused.ts"

/** Sets the three headers. Fails if the call exceeds its limit. */
const abide = (quota: Quota) =>
  Effect.flatMap(ResponseHeaders, (headers) => {
    setQuota(headers, quota)
    return quota.exceeded ? Effect.fail(new RateLimited({ quota })) : Effect.void
  })

/** Counts a failed token request without a client, by address. */
export const countNameless = (limiter: RateLimiter["Service"], address: string) =>
  Effect.flatMap(SecretFailures.count(limiter, SecretFailures.windowsOf({ address, name: null })), abide)

/** Counts a call of the caller. */
export const countCall = (limiter: RateLimiter["Service"], tier: RateLimitTier) =>
  Effect.flatMap(Caller, ({ rateLimit, rateLimitKey }) =>
    Effect.flatMap(limiter.take(tier, rateLimitKey, rateLimit), abide)
  )

export const layer: Layer.Layer<Api.LimitRate, never, RateLimiter | ErrorCodes> = Layer.effect(
  Api.LimitRate,
  Effect.gen(function* () {
    const limiter = yield* RateLimiter
    const codes = yield* ErrorCodes
    return (httpEffect, { endpoint }) =>
      countCall(limiter, Context.get(endpoint.annotations, GuardOf)?.tier ?? "standard").pipe(
        Effect.matchEffect({
          onSuccess: () => httpEffect,
          onFailure: (refusal) => Effect.map(RequestId, (requestId) => answerOf(codes, refusal, requestId))
        })
      )
  })
)
