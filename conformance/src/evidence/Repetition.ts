import type { Verdict } from "../engine/Verdict.ts"
import type { Report, RuleReport } from "../report/Report.ts"
import { foundIn, withRules } from "../report/Reporting.ts"
import * as Told from "../report/Told.ts"

/** What a rule was in one run, in words: `failed (status: expected 409, got 200)`. */
const inWords = (rule: RuleReport): string => {
  const [difference] = Told.decisive(rule).flatMap(({ differences }) => differences)
  const why =
    difference === undefined
      ? rule.reasons.join("; ")
      : `${Told.inLine(difference.at)}: expected ${Told.value(difference.expected)}, got ${Told.actual(difference)}`
  return why === "" ? Told.verdictWords[rule.verdict] : `${Told.verdictWords[rule.verdict]} (${why})`
}

/** One thing that was so in some of the runs: `passed in run 1, 3`. */
const eachTime = (rules: ReadonlyArray<RuleReport>): string => {
  const runs = Map.groupBy(
    rules.map((rule, index) => [rule, index + 1] as const),
    ([rule]) => rule.verdict
  )
  return [...runs.values()]
    .map((some) => {
      const [first] = some.map(([rule]) => inWords(rule))
      return `${first} in run ${some.map(([, run]) => run).join(", ")}`
    })
    .join("; ")
}

/** What several runs say of a rule: what all of them say, else that it cannot be told. */
const together = (rules: readonly [RuleReport, ...ReadonlyArray<RuleReport>]): RuleReport => {
  const [first] = rules
  const verdicts = new Set<Verdict>(rules.map(foundIn))
  if (verdicts.size === 1) return first
  // a fault of the suite's own does not become less of one by being rare
  const fault = rules.find(({ verdict }) => verdict === "error")
  return {
    ...first,
    verdict: fault === undefined ? "inconclusive" : "error",
    reasons: [`unsteady: ${eachTime(rules)}`],
    lacks: [],
    findings: []
  }
}

const observedIn = (reports: ReadonlyArray<Report>): Report["observations"] => {
  const all = reports.flatMap(({ observations }) => observations)
  return [...Map.groupBy(all, ({ rule }) => rule).values()].flatMap((some) => {
    const [first] = some
    if (first === undefined) return []
    const values = new Map(some.flatMap(({ observed }) => observed.map((one) => [JSON.stringify(one), one])))
    return { ...first, observed: [...values.values()] }
  })
}

/**
 * What several runs against one deployment come to. What they agree in stands as the first of them found it, with its
 * exchanges; a rule about which they do not agree is inconclusive, and its reason says what it was each time. A run that
 * did not come to its end says how all ended, and nothing of the rules that the others judged.
 */
export const ofAll = (reports: readonly [Report, ...ReadonlyArray<Report>]): Report => {
  const [only, ...more] = reports
  if (more.length === 0) return only
  const finished = reports.filter(({ header }) => header.ending.as === "finished")
  const [first = only, ...others] = finished
  const last = more.at(-1) ?? only
  const rules = first.rules.map((rule) => {
    const again = others.flatMap((report) => report.rules.find(({ id }) => id === rule.id) ?? [])
    return together([rule, ...again])
  })
  return withRules(
    {
      ...first,
      header: {
        ...first.header,
        endedAt: last.header.endedAt,
        ending: last.header.ending,
        repeats: reports.map(({ header, headline }) => ({ run: header.run, startedAt: header.startedAt, headline }))
      },
      counts: { requests: reports.reduce((sum, { counts }) => sum + counts.requests, 0) },
      observations: observedIn([first, ...others]),
      residue: reports.flatMap(({ residue }) => residue)
    },
    rules
  )
}
