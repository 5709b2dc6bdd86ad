import * as CallBudget from "@wcs/domain/access/CallBudget"
import { Caller } from "@wcs/domain/access/Caller"
import { type Quota, RateLimited, RateLimiter } from "@wcs/domain/access/RateLimitTier"
import * as SecretFailures from "@wcs/domain/access/SecretFailures"
import { Effect } from "effect"
import type { Call } from "../pipeline/Call.ts"
import type { Step } from "../pipeline/Endpoints.ts"
import { setQuota } from "../pipeline/ResponseHeaders.ts"

/** Sets the three headers. Fails if the call exceeds its limit. */
const abide = ({ headers }: Call, quota: Quota): Effect.Effect<void, RateLimited> => {
  setQuota(headers, quota)
  return quota.exceeded ? Effect.fail(new RateLimited({ quota })) : Effect.void
}

/** Counts a failed token request without a client, by address. */
export const countNameless = (limiter: RateLimiter["Service"], call: Call) =>
  Effect.flatMap(
    SecretFailures.count(limiter, SecretFailures.windowsOf({ address: call.address, name: null })),
    (quota) => abide(call, quota)
  )

/** Counts a call of the caller, also for the tenant. */
export const countCall = (
  limiter: RateLimiter["Service"],
  tier: CallBudget.CallTier,
  call: Call,
  caller: Caller["Service"]
) => Effect.flatMapEager(CallBudget.countCall(limiter, tier, caller, call.now), (quota) => abide(call, quota))

/** Counts the call against the tier of its guard. */
export const make = Effect.map(
  RateLimiter,
  (limiter): Step =>
    ({ guard }) =>
    (call) =>
      countCall(limiter, guard?.tier ?? "standard", call, call.service(Caller))
)
