import type { Privilege } from "@wcs/domain/Privilege"
import type { RateLimitTier } from "@wcs/domain/RateLimitTier"
import { Context } from "effect"

/** What an endpoint asks of its caller: privileges, all of them, and from which budget the call is paid. */
export interface Guard {
  readonly privileges: readonly [Privilege, ...ReadonlyArray<Privilege>]
  readonly tier: Extract<RateLimitTier, "standard" | "intensive">
}

/**
 * The guard of an endpoint, as an annotation that the middleware reads. An endpoint without one is refused to
 * everybody, unless it is on the list of those that authenticate by themselves.
 */
export const GuardOf = Context.Reference<Guard | undefined>("@wcs/api/Guard", { defaultValue: () => undefined })

/** One privilege, paid from the standard budget. */
export const guard = (
  entityType: Privilege["entityType"],
  operation: Privilege["operation"],
  tier: Guard["tier"] = "standard"
): Guard => ({ privileges: [{ entityType, operation }], tier })

/** Several privileges, all of them. */
export const guardOfAll = (privileges: Guard["privileges"], tier: Guard["tier"] = "standard"): Guard => ({
  privileges,
  tier
})

/** Endpoints without a guard, by `group.endpoint`: callers authenticate to them otherwise. */
export const unguarded: ReadonlyArray<string> = ["oauth.token"]
