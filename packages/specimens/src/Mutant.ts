import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import type { DifferenceKind } from "@wcs/conformance/evidence/Difference"
import type { Specimen } from "./Specimen.ts"

/** A rule that a mutant breaks, and the reason for which the suite has to say so. */
export interface Kill {
  readonly rule: RuleId
  readonly kind: DifferenceKind
  /** Where the suite has to see it: `status`, `body.error.code`, `header x-request-id`. */
  readonly at: string
}

/** Our deployment with one defect, as a real deployment might have it. */
export interface Mutant extends Specimen {
  /** The rules that it was made to break. */
  readonly kills: readonly [Kill, ...ReadonlyArray<Kill>]
  /** The rules that break along with them, since the defect is seen there too. */
  readonly alsoKills?: ReadonlyArray<RuleId>
  /** Rules whose walks give the traffic in which the defect is seen, where those of `kills` do not. */
  readonly seenBy?: ReadonlyArray<RuleId>
}
