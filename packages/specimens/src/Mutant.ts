import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import { isRuleId } from "@wcs/conformance/catalogue/RuleIdSchema"
import { type DifferenceKind, differenceKinds } from "@wcs/conformance/judgement/Difference"
import { type Specimen, seams } from "./Specimen.ts"

/** A rule that a mutant breaks, and the expected difference. */
export interface Kill {
  readonly rule: RuleId
  readonly kind: DifferenceKind
  /** The place of the difference: `status`, `body.error.code`, `header x-request-id`. */
  readonly at: string
}

/** A kill as it is written: `OWN-04 status`, `OWN-04 wrong-value at body.error.code`. */
export type KillText = `${RuleId} status` | `${RuleId} ${DifferenceKind} at ${string}`

/** Rules beside the kills. */
export interface More {
  /** Rules that break as well, because the defect shows there too. */
  readonly alsoKills?: ReadonlyArray<RuleId>
  /** Rules whose walks make the traffic that shows the defect, if the walks of `kills` do not. */
  readonly seenBy?: ReadonlyArray<RuleId>
}

/** Our deployment with one realistic defect. */
export interface Mutant extends Specimen, More {
  /** The rules that the defect is meant to break. */
  readonly kills: ReadonlyArray<Kill>
}

const killOf = (text: KillText): Kill => {
  const [, rule = "", word, at = "status"] = /^(\S+) ([a-z-]+)(?: at (.+))?$/.exec(text) ?? []
  const kind = differenceKinds.find((known) => known === word)
  if (!isRuleId(rule) || kind === undefined) throw new Error(`not a kill: ${text}`)
  return { rule, kind, at }
}

/**
 * Starts a row: `mutant("link-is-refused", "OWN-04 status").answers(…)`. The method names the seam; `answers`,
 * `requests` and `instead` are its rewrites of the wire, and `by` takes several seams.
 */
export const mutant = (
  name: string,
  kills: KillText | readonly [KillText, ...ReadonlyArray<KillText>],
  more: More = {}
) => {
  const by = (changes: Omit<Specimen, "name">): Mutant => ({
    name,
    ...changes,
    kills: (typeof kills === "string" ? [kills] : kills).map(killOf),
    ...more
  })
  return seams(by)
}
