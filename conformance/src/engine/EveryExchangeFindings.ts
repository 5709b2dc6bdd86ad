import type { ExchangeRule } from "../exchanges/ExchangeRule.ts"
import type { Difference } from "../judgement/Difference.ts"
import type { Finding } from "../judgement/Finding.ts"
import { placed, placesOf } from "../judgement/Place.ts"
import type { Profile } from "../profile/Profile.ts"
import type { Exchange } from "../wire/Exchange.ts"
import { defectInWords } from "./Defect.ts"
import { chooseByNeeds } from "./Selection.ts"

/** The walk name in findings of these rules. */
export const everyExchangeWalk = "every exchange"

/** The maximum number of differences reported for one rule. Equal differences of one call and caller count once. */
const maxDifferences = 20

const alike = ({ actual, at, kind, place = "" }: Difference): string =>
  `${kind} ${at} ${JSON.stringify(actual)} ${place}`

const told = (differences: ReadonlyArray<Difference>): ReadonlyArray<Difference> => {
  const first = new Map<string, Difference>()
  for (const difference of differences) if (!first.has(alike(difference))) first.set(alike(difference), difference)
  return [...first.values()].slice(0, maxDifferences)
}

const findingOf = (
  { appliesTo, atLeast = 1, judge, needs = [], rule, whenUnseen }: ExchangeRule<string>,
  exchanges: ReadonlyArray<Exchange>,
  profile: Profile
): Finding | undefined => {
  const judged = exchanges.filter((exchange) => appliesTo(exchange, profile))
  const unmet = chooseByNeeds({ needs }, profile)
  if (unmet !== undefined && judge(judged, exchanges, profile).length === 0) {
    const { as, lacks, reason } = unmet
    return { rule, walk: everyExchangeWalk, outcome: as, differences: [], exchanges: [], reason, lacks }
  }
  if (judged.length < atLeast) {
    if (whenUnseen === "nothing") return undefined
    const reason = `the rule applies to ${judged.length === 0 ? "no exchange" : "too few exchanges"} of this run`
    return { rule, walk: everyExchangeWalk, outcome: whenUnseen, differences: [], exchanges: [], reason }
  }
  const differences = judge(judged, exchanges, profile)
  const wrong = [...new Set(differences.map(({ exchange }) => exchange))]
  return {
    rule,
    walk: everyExchangeWalk,
    outcome: differences.length === 0 ? "pass" : "fail",
    differences: told(placed(differences, exchanges, profile)),
    exchanges: differences.length === 0 ? judged.slice(0, 1).map(({ number }) => number) : wrong,
    places: placesOf(judged, profile)
  }
}

/** Judges all exchanges of a run by these rules. */
export const judgeEveryExchange = (
  rules: ReadonlyArray<ExchangeRule<string>>,
  exchanges: ReadonlyArray<Exchange>,
  profile: Profile
): ReadonlyArray<Finding> => {
  const inOrder = exchanges.toSorted((left, right) => left.number - right.number)
  return rules.flatMap((rule): Finding | ReadonlyArray<Finding> => {
    try {
      return findingOf(rule, inOrder, profile) ?? []
    } catch (defect) {
      const reason = defectInWords(defect)
      return { rule: rule.rule, walk: everyExchangeWalk, outcome: "error", differences: [], exchanges: [], reason }
    }
  })
}
