import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import type { Profile } from "@wcs/conformance/profile/Profile"
import type * as Rules from "@wcs/domain/shared/Rules"
import type { Stores } from "@wcs/http-node/Serve"
import type { Layer } from "effect"
import type { Deliver } from "./Hub.ts"
import type { Serve } from "./Serve.ts"
import type { Webhooks } from "./seams/SeenWebhooks.ts"

/**
 * Our deployment with a change through one of three seams: a rewrite of the wire, a wrapped port, or a replaced rule.
 * The product itself has no switch for it.
 */
export interface Specimen {
  /** Describes the change: `link-overwrites-the-holder`. */
  readonly name: string
  readonly rewrite?: (serve: Serve) => Serve
  /** Rewrites deliveries. Gets the webhooks seen on the wire, because a deployment knows their secrets. */
  readonly deliveries?: (webhooks: Webhooks) => (deliver: Deliver) => Deliver
  readonly stores?: (stores: Layer.Layer<Stores>) => Layer.Layer<Stores>
  readonly rules?: typeof Rules.layer
  /** The profile that an operator of this deployment would write. */
  readonly profile?: (profile: Profile) => Profile
  /** A secret that belongs to this profile; `name` is its name in the profile. */
  readonly secret?: (secret: string, name: string) => string
  /** More secrets, by their names in the profile. */
  readonly secrets?: () => Readonly<Record<string, string>>
}

/** A correct deployment that differs where the specification is silent. */
export interface Variant extends Specimen {
  /** The rules and silences that leave room for the difference. */
  readonly about: readonly [RuleId, ...ReadonlyArray<RuleId>]
}

/** Our deployment without changes: the reference for variants. */
export const ours: Specimen = { name: "ours" }
