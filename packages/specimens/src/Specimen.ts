import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import type { Profile } from "@wcs/conformance/profile/Profile"
import type * as Rules from "@wcs/domain/shared/Rules"
import type { Stores } from "@wcs/http-node/Serve"
import type { Layer } from "effect"
import type { Deliver } from "./Hub.ts"
import type { Serve } from "./Serve.ts"
import type { Webhooks } from "./seams/SeenWebhooks.ts"

/**
 * Our deployment with something changed, through the three seams that there are: what goes over the wire is rewritten,
 * a port is wrapped, a rule is replaced. The product itself has no switch for it.
 */
export interface Specimen {
  /** Says what it does: `link-overwrites-the-holder`. */
  readonly name: string
  /** The rules and silences that it is about; where it is left out, those that its source names. */
  readonly about?: ReadonlyArray<RuleId>
  readonly rewrite?: (serve: Serve) => Serve
  /**
   * The same of what it delivers. What was seen of webhooks on the wire is told: a deployment knows the secrets of its
   * own.
   */
  readonly deliveries?: (webhooks: Webhooks) => (deliver: Deliver) => Deliver
  readonly stores?: (stores: Layer.Layer<Stores>) => Layer.Layer<Stores>
  readonly rules?: typeof Rules.layer
  /** What whoever runs this deployment would write in its profile. */
  readonly profile?: (profile: Profile) => Profile
  /** A secret that they would give with it; `name` is how the profile refers to it. */
  readonly secret?: (secret: string, name: string) => string
  /** More secrets, by how the profile refers to them. */
  readonly secrets?: () => Readonly<Record<string, string>>
}

/** Our deployment with nothing changed: what variants are held against. */
export const ours: Specimen = { name: "ours" }
