import { Schema } from "effect"
import type { FailOn } from "../ExitCode.ts"
import type { Verdict } from "../engine/Verdict.ts"
import type { Report, RuleReport } from "../report/Report.ts"
import { foundIn, isBroken, withRules } from "../report/Reporting.ts"
import { verdictWords } from "../report/Told.ts"
import { differenceKinds } from "./Difference.ts"

const place = Schema.Struct({
  kind: Schema.Literals(differenceKinds),
  at: Schema.String.annotate({ description: "Where; n stands for any number in a list: body.data.n.id" })
})
type Place = typeof place.Type

const entry = Schema.Struct({
  rule: Schema.String.check(Schema.isPattern(/^[A-Z]{3}-[0-9]{2}$/u, { expected: "the id of a rule, such as OWN-04" })),
  verdict: Schema.Literals(["fail", "warn"]),
  differences: Schema.Array(place).annotate({
    description: "How it is broken, whole: broken otherwise it is not known."
  }),
  reason: Schema.String.check(Schema.isMaxLength(2000)).annotate({
    description: "Why this is borne, and until when: an entry without a reason fails the run."
  }),
  expires: Schema.String.check(
    Schema.isPattern(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/u, { expected: "a date, such as 2027-01-31" })
  ).annotate({ description: "The last day, in UTC, on which this is borne." })
})
/** One rule that is known to be broken, how, why that is borne, and until when. */
export type Entry = typeof entry.Type

/** What is known to be broken on a deployment: it fails no run as long as it is broken as it is known to be. */
export const Baseline = Schema.Struct({
  $schema: Schema.optionalKey(Schema.String),
  entries: Schema.Array(entry).check(Schema.isMaxLength(1000))
}).annotate({ identifier: "Baseline", title: "Baseline of a deployment of the Workforce Compliance Service" })
export type Baseline = typeof Baseline.Type

/** Which of several in a list it was may be another in each run. */
const anyOf = (at: string): string => at.replaceAll(/\.\d+(?=\.|$)/g, ".n")

const keyOf = ({ at, kind }: Place): string => `${kind} at ${at}`

/** How a rule is broken, each kind at each place once. */
const placesOf = (rule: RuleReport): ReadonlyArray<Place> => {
  const verdict = foundIn(rule)
  const outcomes = verdict === "warn" ? ["warn", "fail"] : [verdict]
  const places = rule.findings
    .filter(({ outcome }) => outcomes.includes(outcome))
    .flatMap(({ differences }) => differences.map(({ at, kind }): Place => ({ kind, at: anyOf(at) })))
  return [...new Map(places.map((one) => [keyOf(one), one])).values()].toSorted((left, right) =>
    keyOf(left) < keyOf(right) ? -1 : 1
  )
}

const isSame = (left: ReadonlyArray<Place>, right: ReadonlyArray<Place>): boolean => {
  const [some, others] = [left, right].map((places) => new Set(places.map(keyOf)))
  return some?.size === others?.size && left.every((one) => others?.has(keyOf(one)))
}

const inWords = (verdict: Verdict, places: ReadonlyArray<Place>): string =>
  `${verdictWords[verdict]} by ${places.map(keyOf).join(", ") || "nothing told"}`

/** What is wrong with an entry by itself. */
const unfit = (one: Entry, today: string): string | undefined => {
  if (one.reason.trim() === "") return "the entry has no reason"
  return one.expires < today ? `the entry expired on ${one.expires}` : undefined
}

/** In what a run contradicts an entry; nothing where it could not tell. */
const contradiction = (one: Entry, rule: RuleReport, { header }: Report): string | undefined => {
  if (["blocked", "inconclusive", "error"].includes(rule.verdict)) return undefined
  if (header.only !== null && !header.only.includes(rule.id)) return undefined
  if (!isBroken(rule)) return `the entry is stale: ${verdictWords[rule.verdict]}`
  const places = placesOf(rule)
  return rule.verdict === one.verdict && isSame(places, one.differences)
    ? undefined
    : `it is broken otherwise than the entry says: ${inWords(rule.verdict, places)}, ` +
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
          ? "there is an entry for it before"
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
 * A report in which what a baseline knows to be broken is told as such, and what is wrong with the baseline itself.
 * `today` is a date in UTC: `2027-01-31`.
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

/** The baseline by which a result would fail no run, but for the reasons, which are for people to write. */
export const baselineOf = (report: Report, failOn: FailOn, expires: string): Baseline => ({
  entries: report.rules
    .filter((rule) => foundIn(rule) === "fail" || (failOn === "should" && foundIn(rule) === "warn"))
    .map(
      (rule): Entry => ({
        rule: rule.id,
        verdict: foundIn(rule) === "warn" ? "warn" : "fail",
        differences: placesOf(rule),
        reason: rule.baseline?.reason ?? "",
        expires: rule.baseline?.expires ?? expires
      })
    )
})
