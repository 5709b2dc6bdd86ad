import { GuardOf } from "@wcs/api/Guard"
import * as Api from "@wcs/api/Middleware"
import { ResponseHeaders, setQuota } from "@wcs/api/ResponseHeaders"
import { Caller } from "@wcs/domain/Caller"
import { ErrorCodes } from "@wcs/domain/ErrorCode"
import { type RateLimit, RateLimited, RateLimiter, type RateLimitTier } from "@wcs/domain/RateLimitTier"
import { RequestId } from "@wcs/domain/RequestId"
import { Context, Effect, Layer } from "effect"
import { answerOf } from "./Refused.ts"

/** Counts a call of `key` in a tier, writes the three headers, and refuses it where the budget is used up. */
export const count = (
  limiter: RateLimiter["Service"],
  tier: RateLimitTier,
  key: string,
  own: RateLimit | null = null
) =>
  Effect.flatMap(limiter.take(tier, key, own), (quota) =>
    Effect.flatMap(ResponseHeaders, (headers) => {
      setQuota(headers, quota)
      return quota.exceeded ? Effect.fail(new RateLimited({ quota })) : Effect.void
    })
  )

/** Counts the caller's call. */
export const countCall = (limiter: RateLimiter["Service"], tier: RateLimitTier) =>
  Effect.flatMap(Caller, ({ rateLimit, rateLimitKey }) => count(limiter, tier, rateLimitKey, rateLimit))

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
