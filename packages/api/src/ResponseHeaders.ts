import type { Quota } from "@wcs/domain/access/RateLimitTier"
import { Context } from "effect"

/** Headers that every response to the current request will have. Names are in lower case. */
export class ResponseHeaders extends Context.Service<ResponseHeaders, Record<string, string>>()(
  "@wcs/api/ResponseHeaders"
) {}

/** Sets the three rate limit headers of §8. */
export const setQuota = (headers: ResponseHeaders["Service"], quota: Quota): void => {
  headers["x-ratelimit-limit"] = String(quota.limit)
  headers["x-ratelimit-remaining"] = String(quota.remaining)
  headers["x-ratelimit-reset"] = String(quota.resetSeconds)
}

/** Whether the rate limit headers are set. */
export const hasQuota = (headers: ResponseHeaders["Service"]): boolean => headers["x-ratelimit-limit"] !== undefined
