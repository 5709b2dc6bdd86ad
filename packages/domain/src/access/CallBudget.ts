import type { Effect } from "effect"
import type { Instant } from "../shared/Instant.ts"
import type { Caller } from "./Caller.ts"
import type { Quota, RateLimiter, RateLimitTier } from "./RateLimitTier.ts"

/** The tiers of authenticated calls, each with the tier of the tenant's budget for the same calls. */
const budgetTier = {
  standard: "tenantStandard",
  intensive: "tenantIntensive"
} as const satisfies Partial<Record<RateLimitTier, RateLimitTier>>

/** A tier of authenticated calls. */
export type CallTier = keyof typeof budgetTier

/**
 * Counts a call against the limit of its caller and against the budget of the caller's tenant. A refused call counts
 * against neither, so a client above its own limit does not use up the tenant's budget. The exception is a rare race in
 * a limiter that processes share (`RateLimiter.takeBoth`).
 */
export const countCall = (
  limiter: RateLimiter["Service"],
  tier: CallTier,
  { rateLimit, rateLimitKey, tenantId }: Caller["Service"],
  now: Instant
): Effect.Effect<Quota> =>
  limiter.takeBoth(
    { tier, key: rateLimitKey, own: rateLimit },
    { tier: budgetTier[tier], key: tenantId, own: null },
    now
  )
