import { Schema } from "effect"
import type { Verdict } from "../engine/Verdict.ts"
import { differenceKinds } from "../judgement/Difference.ts"
import type { FailOn } from "./ExitCode.ts"
import type { Report, RuleReport } from "./Report.ts"
import { foundIn, isBroken, withRules } from "./Reporting.ts"
import { verdictWords } from "./ReportText.ts"

const knownDifference = Schema.Struct({
  kind: Schema.Literals(differenceKinds),
  at: Schema.String.annotate({
    description: "The position in the response, such as body.data.n.id; n matches any index of a list."
  })
})
type KnownDifference = typeof knownDifference.Type

const entry = Schema.Struct({
  rule: Schema.String.check(Schema.isPattern(/^[A-Z]{3}-[0-9]{2}$/u, { expected: "the id of a rule, such as OWN-04" })),
  verdict: Schema.Literals(["fail", "warn"]),
  differences: Schema.Array(knownDifference).annotate({
    description: "All differences of the known failure. Any other difference is a new failure."
  }),
  reason: Schema.String.check(Schema.isMaxLength(2000)).annotate({
    description: "Why the failure is accepted. An entry without a reason fails the run."
  }),
  expires: Schema.String.check(
    Schema.isPattern(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/u, { expected: "a date, such as 2027-01-31" })
  ).annotate({ description: "The last day, in UTC, on which the failure is accepted." })
})
/** A known failure of one rule: its differences, the reason and the last day. */
export type Entry = typeof entry.Type

/** The known failures of a deployment. They do not fail a run while they fail as recorded. */
export const Baseline = Schema.Struct({
  $schema: Schema.optionalKey(Schema.String),
  entries: Schema.Array(entry).check(Schema.isMaxLength(1000))
}).annotate({ identifier: "Baseline", title: "Baseline of a deployment of the Workforce Compliance Service" })
export type Baseline = typeof Baseline.Type

/** The index in a list may differ between runs. */
const anyOf = (at: string): string => at.replaceAll(/\.\d+(?=\.|$)/g, ".n")

const keyOf = ({ at, kind }: KnownDifference): string => `${kind} at ${at}`

/** Returns the distinct kinds and positions of the differences of a rule. */
const knownDifferencesOf = (rule: RuleReport): ReadonlyArray<KnownDifference> => {
  const verdict = foundIn(rule)
  const outcomes = verdict === "warn" ? ["warn", "fail"] : [verdict]
  const positions = rule.findings
    .filter(({ outcome }) => outcomes.includes(outcome))
    .flatMap(({ differences }) => differences.map(({ at, kind }): KnownDifference => ({ kind, at: anyOf(at) })))
  return [...new Map(positions.map((one) => [keyOf(one), one])).values()].toSorted((left, right) =>
    keyOf(left) < keyOf(right) ? -1 : 1
  )
}

const isSame = (left: ReadonlyArray<KnownDifference>, right: ReadonlyArray<KnownDifference>): boolean => {
  const [some, others] = [left, right].map((positions) => new Set(positions.map(keyOf)))
  return some?.size === others?.size && left.every((one) => others?.has(keyOf(one)))
}

const inWords = (verdict: Verdict, positions: ReadonlyArray<KnownDifference>): string =>
  `${verdictWords[verdict]} by ${positions.map(keyOf).join(", ") || "no difference"}`

/** Returns the error of an entry that no run is needed to find, or undefined. */
const unfit = (one: Entry, today: string): string | undefined => {
  if (one.reason.trim() === "") return "the entry has no reason"
  return one.expires < today ? `the entry expired on ${one.expires}` : undefined
}

/** Returns how a run contradicts an entry; undefined if it does not, or if the rule was not judged. */
const contradiction = (one: Entry, rule: RuleReport, { header }: Report): string | undefined => {
  if (["blocked", "inconclusive", "error"].includes(rule.verdict)) return undefined
  if (header.only !== null && !header.only.includes(rule.id)) return undefined
  if (!isBroken(rule)) return `the entry is stale: ${verdictWords[rule.verdict]}`
  const positions = knownDifferencesOf(rule)
  return rule.verdict === one.verdict && isSame(positions, one.differences)
    ? undefined
    : `the rule fails differently than the entry says: ${inWords(rule.verdict, positions)}, ` +
        `not ${inWords(one.verdict, one.differences)}`
}

const complaintsOf = ({ entries }: Baseline, report: Report, today: string) => {
  const rules = new Map(report.rules.map((rule) => [rule.id, rule]))
  return entries.flatMap((one, index) => {
    const rule = rules.get(one.rule)
    const isRepeated = entries.findIndex((other) => other.rule === one.rule) !== index
    const why =
      rule === undefined
        ? "the catalogue has no such rule"
        : isRepeated
          ? "an earlier entry names the same rule"
          : (unfit(one, today) ?? contradiction(one, rule, report))
    return why === undefined ? [] : [{ rule: one.rule, why }]
  })
}

const known = (rule: RuleReport, { expires, reason, verdict }: Entry): RuleReport => ({
  ...rule,
  verdict: "baselined",
  reasons: [`known until ${expires}: ${reason}`],
  baseline: { verdict, reason, expires }
})

/**
 * Returns the report with known failures marked, and with the errors of the baseline. `today` is a date in UTC:
 * `2027-01-31`.
 */
export const withBaseline = (report: Report, baseline: Baseline, today: string): Report => {
  const complaints = complaintsOf(baseline, report, today)
  const wrong = new Set(complaints.map(({ rule }) => rule))
  const entries = new Map(baseline.entries.map((one) => [one.rule, one]))
  const rules = report.rules.map((rule) => {
    const one = entries.get(rule.id)
    return one === undefined || wrong.has(rule.id) || !isBroken(rule) ? rule : known(rule, one)
  })
  return withRules({ ...report, baseline: { entries: baseline.entries.length, complaints } }, rules)
}

/** Returns a baseline that accepts every failure of a report. People add the reasons. */
export const baselineOf = (report: Report, failOn: FailOn, expires: string): Baseline => ({
  entries: report.rules
    .filter((rule) => foundIn(rule) === "fail" || (failOn === "should" && foundIn(rule) === "warn"))
    .map(
      (rule): Entry => ({
        rule: rule.id,
        verdict: foundIn(rule) === "warn" ? "warn" : "fail",
        differences: knownDifferencesOf(rule),
        reason: rule.baseline?.reason ?? "",
        expires: rule.baseline?.expires ?? expires
      })
    )
})
