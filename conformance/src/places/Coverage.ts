import type { RuleId } from "../catalogue/Catalogue.ts"
import type { Finding } from "../judgement/Finding.ts"
import type { Profile } from "../profile/Profile.ts"
import { placesOfRule } from "./Places.ts"

/** The places at which a rule was judged, of those at which it can be broken separately. */
export interface Coverage {
  readonly of: number
  readonly probed: number
  /** The places that were not judged. */
  readonly missing: ReadonlyArray<string>
}

/** A place of a valid token, for rules that are probed with any. */
const withAnyToken = (place: string): string =>
  place.replace(/ by (an OAuth|a personal) token(?= |$)/, " by a valid token")

/** Returns the coverage of a rule by its findings; undefined for a rule with one place. */
export const coverageOf = (
  rule: RuleId,
  findings: ReadonlyArray<Pick<Finding, "places">>,
  profile: Profile
): Coverage | undefined => {
  const all = placesOfRule(rule, profile)
  if (all.length === 0) return undefined
  const probed = new Set(findings.flatMap(({ places = [] }) => places.flatMap((place) => [place, withAnyToken(place)])))
  const missing = all.filter((place) => !probed.has(place))
  return { of: all.length, probed: all.length - missing.length, missing }
}
