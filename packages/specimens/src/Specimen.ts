import type { Profile } from "@wcs/conformance/profile/Profile"
import type { Stores } from "@wcs/deployment/stores/Stores"
import type * as Rules from "@wcs/domain/service/Rules"
import type { Layer } from "effect"
import type { Deliver } from "./Hub.ts"
import type { Serve } from "./Serve.ts"
import * as Rewrite from "./seams/Rewrite.ts"
import type { Webhooks } from "./seams/SeenWebhooks.ts"

/**
 * Our deployment with a change through a seam: a rewrite of the wire or of the deliveries, a wrapped port, or a replaced
 * rule. The product itself has no switch for it.
 */
export interface Specimen {
  /** Describes the change: `link-overwrites-the-holder`. */
  readonly name: string
  readonly rewrite?: (serve: Serve) => Serve
  /** Rewrites deliveries. Gets the webhooks seen on the wire, because a deployment knows their secrets. */
  readonly deliveries?: (webhooks: Webhooks) => (deliver: Deliver) => Deliver
  readonly stores?: (stores: Layer.Layer<Stores>) => Layer.Layer<Stores>
  readonly rules?: (rules: typeof Rules.layer) => typeof Rules.layer
  /** The profile that an operator of this deployment would write. */
  readonly profile?: (profile: Profile) => Profile
  /** A secret that belongs to this profile; `name` is its name in the profile. */
  readonly secret?: (secret: string, name: string) => string
  /** More secrets, by their names in the profile. */
  readonly secrets?: () => Readonly<Record<string, string>>
}

/** The methods that end a row of specimens, by seam. `answers`, `requests` and `instead` rewrite the wire. */
export const seams = <Row>(by: (changes: Omit<Specimen, "name">) => Row) => ({
  by,
  rewrite: (rewrite: NonNullable<Specimen["rewrite"]>) => by({ rewrite }),
  answers: (...change: Parameters<typeof Rewrite.answers>) => by({ rewrite: Rewrite.answers(...change) }),
  requests: (...change: Parameters<typeof Rewrite.requests>) => by({ rewrite: Rewrite.requests(...change) }),
  instead: (...change: Parameters<typeof Rewrite.instead>) => by({ rewrite: Rewrite.instead(...change) }),
  rules: (rules: NonNullable<Specimen["rules"]>) => by({ rules }),
  stores: (stores: NonNullable<Specimen["stores"]>) => by({ stores }),
  deliveries: (deliveries: NonNullable<Specimen["deliveries"]>) => by({ deliveries })
})

/** Our deployment without changes: the reference for variants. */
export const ours: Specimen = { name: "ours" }
