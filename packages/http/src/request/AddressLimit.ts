import { perMinute, type Quota, RateLimited, RateLimiter, untouched } from "@wcs/domain/access/RateLimitTier"
import type { HttpRefusal } from "@wcs/domain/service/HttpRefusal"
import { ErrorCodes } from "@wcs/domain/service/Refusals"
import { Ids } from "@wcs/domain/shared/Id"
import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { Call } from "../pipeline/Call.ts"
import { baseHeaders, setQuota, withHeaders } from "../pipeline/ResponseHeaders.ts"
import { answerOn } from "../Surface.ts"

type Response = HttpServerResponse.HttpServerResponse

/** A call without an authenticated caller. */
export type UnknownCall = Pick<Call, "address" | "surface" | "requestId" | "headers">

/**
 * Limits calls without an authenticated caller by their address, so every response has the headers of a rate limit
 * (§8).
 */
export const make = Effect.gen(function* () {
  const limiter = yield* RateLimiter
  const codes = yield* ErrorCodes
  const ids = yield* Ids

  const full = untouched(perMinute(limiter.limits.unauthenticated))

  /** If the limiter is unavailable, no call is refused. */
  const orUntouched = (quota: Effect.Effect<Quota>): Effect.Effect<Quota> =>
    Effect.catchDefect(quota, () => Effect.succeed(full))

  const describe = ({ address, headers }: UnknownCall) =>
    Effect.map(orUntouched(limiter.peek("unauthenticated", address)), (quota) => setQuota(headers, quota))

  /** Counts a call and sets the rate limit headers. Answers 429 above the limit. */
  const count = <E, R>(call: UnknownCall, within: Effect.Effect<Response, E, R>): Effect.Effect<Response, E, R> =>
    Effect.flatMap(orUntouched(limiter.take("unauthenticated", call.address)), (quota) => {
      setQuota(call.headers, quota)
      return quota.exceeded
        ? Effect.succeed(answerOn(call.surface, codes, new RateLimited({ quota }), call.requestId))
        : within
    })

  return {
    count,

    /** Sets the headers of a call that is refused for overload. Does not ask the limiter, which may be slow too. */
    skip: ({ headers }: UnknownCall): void => setQuota(headers, full),

    /** Returns the final response to an uncounted call. Internal errors are not counted. */
    settle: (call: UnknownCall, response: Response) =>
      response.status < 500 ? count(call, Effect.succeed(response)) : Effect.as(describe(call), response),

    /** Returns the response to bytes that are not a valid request. */
    refuseUnread: Effect.fnUntraced(function* (refusal: HttpRefusal, address: string) {
      const requestId = yield* ids.ulid
      const headers = baseHeaders(requestId, undefined)
      const call: UnknownCall = { address, surface: "outside", requestId, headers }
      return withHeaders(yield* count(call, Effect.succeed(answerOn("outside", codes, refusal, requestId))), headers)
    })
  }
})
