import type { Quota } from "@wcs/domain/access/RateLimitTier"
import { echo } from "@wcs/domain/shared/RequestId"
import { HttpServerResponse } from "effect/http"

/** The headers that the response to a call will have, by names in lower case. Steps add to them. */
export type ResponseHeaders = Record<string, string>

/** The headers of every response: the request id, no caching, no content sniffing. */
export const baseHeaders = (requestId: string, inboundRequestId: string | undefined): ResponseHeaders => {
  const echoed = echo(inboundRequestId)
  return {
    "x-request-id": requestId,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(echoed === undefined ? {} : { "x-client-request-id": echoed })
  }
}

/** The headers of every page besides its policy, whose `frame-ancestors` only newer browsers and scanners know. */
export const pageHeaders = { "referrer-policy": "same-origin", "x-frame-options": "DENY" }

/** Sets the three rate limit headers of §8. */
export const setQuota = (headers: ResponseHeaders, quota: Quota): void => {
  headers["x-ratelimit-limit"] = String(quota.limit)
  headers["x-ratelimit-remaining"] = String(quota.remaining)
  headers["x-ratelimit-reset"] = String(quota.resetSeconds)
}

/** Whether the rate limit headers are set. */
export const hasQuota = (headers: ResponseHeaders): boolean => headers["x-ratelimit-limit"] !== undefined

/** Adds headers to a response. Existing headers take precedence. */
export const withHeaders = (
  response: HttpServerResponse.HttpServerResponse,
  headers: ResponseHeaders
): HttpServerResponse.HttpServerResponse => HttpServerResponse.setHeaders(response, { ...headers, ...response.headers })
