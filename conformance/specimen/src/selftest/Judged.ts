import { catalogue, type RuleId } from "@wcs/conformance/catalogue/Catalogue"
import type { Event } from "@wcs/conformance/evidence/Event"
import { type Coverage, coverageOf } from "@wcs/conformance/places/Coverage"
import { rulesWithPlaces } from "@wcs/conformance/places/Places"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { exchangeRules, walks } from "@wcs/conformance/walks/Walks"
import { findingsOf } from "../target/Target.ts"

/** The rules that the suite judges. Each needs a fault. */
export const judgedRules: ReadonlyArray<RuleId> = catalogue
  .filter(({ judged }) => judged !== "observation" && judged !== "elsewhere")
  .map(({ id }) => id)
  .filter((id) => walks.some(({ judges }) => judges.includes(id)) || exchangeRules.some(({ rule }) => rule === id))

/** The places at which each rule was judged in a run, of those that the profile offers. */
export const coverage = (
  events: ReadonlyArray<Event>,
  profile: Profile
): ReadonlyArray<Coverage & { readonly rule: RuleId }> =>
  rulesWithPlaces.flatMap((rule) => {
    const covered = coverageOf(
      rule,
      findingsOf(events).filter((finding) => finding.rule === rule),
      profile
    )
    return covered === undefined ? [] : [{ rule, ...covered }]
  })

/** The requests that each walk sent in a run, by walk. A walk that the profile does not allow has no figure. */
export const requestsByWalk = (events: ReadonlyArray<Event>): Readonly<Record<string, number>> => {
  const sent = events.flatMap((event) =>
    event.type === "exchange" && event.exchange.kind !== "delivery" ? [event.exchange.walk] : []
  )
  const counts = [...Map.groupBy(sent, (walk) => walk)].map(([walk, those]) => [walk, those.length] as const)
  const isWalk = (name: string) => walks.some((walk) => walk.name === name)
  return Object.fromEntries(
    counts.filter(([name]) => isWalk(name)).toSorted(([one], [other]) => one.localeCompare(other))
  )
}
