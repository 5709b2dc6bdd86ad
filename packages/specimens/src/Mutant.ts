import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import type { DifferenceKind } from "@wcs/conformance/evidence/Difference"
import type { Specimen } from "./Specimen.ts"

/** A rule that a mutant breaks, and the expected difference. */
export interface Kill {
  readonly rule: RuleId
  readonly kind: DifferenceKind
  /** The place of the difference: `status`, `body.error.code`, `header x-request-id`. */
  readonly at: string
}

/** Our deployment with one realistic defect. */
export interface Mutant extends Specimen {
  /** The rules that the defect is meant to break. */
  readonly kills: readonly [Kill, ...ReadonlyArray<Kill>]
  /** Rules that break as well, because the defect shows there too. */
  readonly alsoKills?: ReadonlyArray<RuleId>
  /** Rules whose walks make the traffic that shows the defect, if the walks of `kills` do not. */
  readonly seenBy?: ReadonlyArray<RuleId>
}
