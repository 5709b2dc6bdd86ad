import type { Privilege } from "@wcs/domain/access/Privilege"
import type { RateLimitTier } from "@wcs/domain/access/RateLimitTier"
import { Context } from "effect"

interface Paid {
  /** The budget that the call is paid from. */
  readonly tier: Extract<RateLimitTier, "standard" | "intensive">
}

/** What an endpoint asks of its caller before anything else is done. */
export type Guard = Paid &
  (
    | {
        /** All of them. */
        readonly privileges: readonly [Privilege, ...ReadonlyArray<Privilege>]
      }
    | {
        readonly privileges: readonly []
        /** Whoever is authenticated may call: the use case tells by a rule of its own what the call reaches. */
        readonly judgedWithin: true
      }
  )

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
export const guardOfAll = (
  privileges: readonly [Privilege, ...ReadonlyArray<Privilege>],
  tier: Guard["tier"] = "standard"
): Guard => ({ privileges, tier })

/** For what everybody has of their own: the use case judges. Paid from the standard budget. */
export const judgedWithin: Guard = { privileges: [], judgedWithin: true, tier: "standard" }

/** Endpoints without a guard, by `group.endpoint`: callers authenticate to them otherwise. */
export const unguarded: ReadonlyArray<string> = ["oauth.token"]
