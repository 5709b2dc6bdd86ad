import type { Quota } from "@wcs/domain/access/RateLimitTier"
import { Context } from "effect"

/** Headers that the answer to the request at hand will carry, whatever the answer is. Lower-case names. */
export class ResponseHeaders extends Context.Service<ResponseHeaders, Record<string, string>>()(
  "@wcs/api/ResponseHeaders"
) {}

/** The three headers of §8. */
export const setQuota = (headers: ResponseHeaders["Service"], quota: Quota): void => {
  headers["x-ratelimit-limit"] = String(quota.limit)
  headers["x-ratelimit-remaining"] = String(quota.remaining)
  headers["x-ratelimit-reset"] = String(quota.resetSeconds)
}

/** Whether the three headers are written. */
export const hasQuota = (headers: ResponseHeaders["Service"]): boolean => headers["x-ratelimit-limit"] !== undefined
