import type { Verdict } from "../engine/Verdict.ts"
import { inLine } from "../text/Visible.ts"
import type { Report, RuleReport } from "./Report.ts"
import { foundIn, withRules } from "./Reporting.ts"
import * as ReportText from "./ReportText.ts"

/** Describes a rule in one run: `failed (status: expected 409, got 200)`. */
const inWords = (rule: RuleReport): string => {
  const [difference] = ReportText.decisive(rule).flatMap(({ differences }) => differences)
  const why =
    difference === undefined
      ? rule.reasons.join("; ")
      : `${inLine(difference.at)}: expected ${ReportText.value(difference.expected)}, got ${ReportText.actual(difference)}`
  return why === "" ? ReportText.verdictWords[rule.verdict] : `${ReportText.verdictWords[rule.verdict]} (${why})`
}

/** Describes an outcome and its runs: `passed in run 1, 3`. */
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

/** Combines the results of a rule in several runs: the common verdict, else inconclusive. */
const together = (rules: readonly [RuleReport, ...ReadonlyArray<RuleReport>]): RuleReport => {
  const [first] = rules
  const verdicts = new Set<Verdict>(rules.map(foundIn))
  if (verdicts.size === 1) return first
  // a fault of the suite counts even if it is rare
  const fault = rules.find(({ verdict }) => verdict === "error")
  return {
    ...first,
    verdict: fault === undefined ? "inconclusive" : "error",
    reasons: [`different verdicts: ${eachTime(rules)}`],
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
 * Combines several runs against one deployment. Equal verdicts keep the result and exchanges of the first run. A rule
 * with different verdicts is inconclusive, and its reason lists the verdicts. The ending is that of the last run. A run
 * that did not finish does not change the verdicts of the finished runs.
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
