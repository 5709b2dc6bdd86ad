import type { Privilege } from "@wcs/domain/access/Privilege"
import type { RateLimitTier } from "@wcs/domain/access/RateLimitTier"
import { Context } from "effect"

interface Paid {
  /** The rate limit tier that counts the call. */
  readonly tier: Extract<RateLimitTier, "standard" | "intensive">
}

/** The privileges that an endpoint requires, and its rate limit tier. */
export type Guard = Paid &
  (
    | {
        /** The caller needs all of them. */
        readonly privileges: readonly [Privilege, ...ReadonlyArray<Privilege>]
      }
    | {
        readonly privileges: readonly []
        /** Any authenticated caller may call. The use case limits what the call can access. */
        readonly judgedWithin: true
      }
  )

/** The guard of an endpoint, read by `Authorize`. The server does not start without it, except for `unguarded`. */
export const GuardOf = Context.Reference<Guard | undefined>("@wcs/api/Guard", { defaultValue: () => undefined })

/** Requires one privilege. */
export const guard = (
  entityType: Privilege["entityType"],
  operation: Privilege["operation"],
  tier: Guard["tier"] = "standard"
): Guard => ({ privileges: [{ entityType, operation }], tier })

/** Requires all of the given privileges. */
export const guardOfAll = (
  privileges: readonly [Privilege, ...ReadonlyArray<Privilege>],
  tier: Guard["tier"] = "standard"
): Guard => ({ privileges, tier })

/** Requires no privilege. For resources that every account owns, such as its access tokens. */
export const judgedWithin: Guard = { privileges: [], judgedWithin: true, tier: "standard" }

/** Endpoints without a guard, as `group.endpoint`. They authenticate callers in another way. */
export const unguarded: ReadonlyArray<string> = ["oauth.token"]
