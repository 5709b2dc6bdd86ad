import { DateTime, type Schema } from "effect"
import { catalogue } from "../catalogue/Catalogue.ts"
import type { Rule } from "../catalogue/Rule.ts"
import { isRuleId } from "../catalogue/RuleIdSchema.ts"
import { isCutShort, type Verdict, verdictOf } from "../engine/Verdict.ts"
import type { Event } from "../evidence/Event.ts"
import type { Finding } from "../judgement/Finding.ts"
import { impactOf, type Walk } from "../judgement/Walk.ts"
import { coverageOf } from "../places/Coverage.ts"
import type { Profile } from "../profile/Profile.ts"
import { walks as everyWalk } from "../walks/Walks.ts"
import type { Exchange } from "../wire/Exchange.ts"
import { chainOf } from "./Chain.ts"
import { counted, headlineOf } from "./Headline.ts"
import { type RecordedExchange, type Report, type RuleReport, reportVersion, type Tally } from "./Report.ts"

/** The number of characters that are kept of a response. */
const maxAnswerChars = 100_000

const iso = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))

const recorded = ({ answer, lastSent: _, startedAt, ...rest }: Exchange): RecordedExchange => {
  const omitted = Math.max(0, (answer?.text.length ?? 0) - maxAnswerChars)
  const { headers, status, text } = answer ?? { headers: {}, status: 0, text: "" }
  const kept = { status, headers, text: text.slice(0, maxAnswerChars), ...(omitted === 0 ? {} : { omitted }) }
  return { ...rest, answer: answer === null ? null : kept, startedAt: iso(startedAt) }
}

type RunStarted = Extract<Event, { readonly type: "run-started" }>
type RunEnded = Extract<Event, { readonly type: "run-ended" }>

const headerOf = (started: RunStarted, ended: RunEnded | undefined): Report["header"] => {
  const { catalogueDigest, ceiling, deployment, only, profile, run, seed, suite, suiteVersion, target } = started
  return {
    ...{ run, suiteVersion, catalogueDigest, profile, deployment, target, ceiling, only },
    ...(suite === undefined ? {} : { suite }),
    ...(seed === undefined ? {} : { seed }),
    startedAt: iso(started.startedAt),
    endedAt: ended === undefined ? null : iso(ended.endedAt),
    ending: ended?.ending ?? { as: "broken off", sentence: "the suite aborted before the run ended" }
  }
}

/** The verdict and reason of a rule without findings. */
const unfound = (rule: Rule, header: Report["header"], hasJudged: boolean): readonly [Verdict, string] => {
  if (rule.judged === "elsewhere") {
    return ["elsewhere", `kept by the ${rule.keptAt ?? rule.keptBy} and judged there`]
  }
  if (header.only !== null && !header.only.includes(rule.id)) return ["unchecked", "not selected for this run"]
  // a run that ended normally or has findings has a finding about each rule that it judges
  if (header.ending.as === "finished" || hasJudged) return ["unchecked", "not checked by this release"]
  return ["blocked", header.ending.sentence ?? "the run ended before the rule was judged"]
}

/** The walks of a suite, by their rules and effects. */
type JudgingWalks = ReadonlyArray<Pick<Walk<string>, "judges" | "impact">>

const ruleReportOf = (
  rule: Rule,
  found: ReadonlyArray<Finding>,
  header: Report["header"],
  hasJudged: boolean,
  walks: JudgingWalks,
  profile: Profile | undefined
): RuleReport => {
  const { id, judged, keptBy, level, sections, surface, text } = rule
  const about = { id, sections, level, keptBy, surface, text, judged, impact: impactOf(id, walks) }
  const more = {
    ...(rule.keptAt === undefined ? {} : { keptAt: rule.keptAt }),
    ...(rule.accept === undefined ? {} : { accept: rule.accept })
  }
  const verdict = verdictOf(level, found)
  if (verdict === undefined) {
    const [instead, reason] = unfound(rule, header, hasJudged)
    return { ...about, ...more, verdict: instead, reasons: [reason], lacks: [], findings: [] }
  }
  const decisive = found.filter(({ outcome }) => outcome === verdict)
  const open = verdict === "pass" ? found.filter(isCutShort) : []
  const own = placesOf(rule, found, profile)
  const reasons =
    open.length > 0 ? [passedInPart(found, open, own.places)] : decisive.flatMap(({ reason }) => reason ?? [])
  return {
    ...about,
    ...more,
    verdict,
    reasons: [...new Set(reasons)],
    lacks: [...new Set([...decisive, ...open].flatMap(({ lacks }) => lacks ?? []))],
    findings: found.map(({ rule: _, ...rest }) => rest),
    ...own
  }
}

/** Where a rule passed before the run's limits ended, and where it was not judged. */
const passedInPart = (
  found: ReadonlyArray<Finding>,
  open: ReadonlyArray<Finding>,
  own: RuleReport["places"]
): string => {
  const why = [...new Set(open.flatMap(({ reason }) => reason ?? []))].join("; ")
  if (own !== undefined && own.missing.length > 0) {
    return `passed at ${own.probed} of ${own.of} places; ${why}; not judged: ${own.missing.join(", ")}`
  }
  const passed = new Set(found.flatMap(({ outcome, places = [] }) => (outcome === "pass" ? places : [])))
  const walks = [...new Set(open.map(({ walk }) => walk))].join(", ")
  return `passed at ${counted(passed.size, "place")}; ${why}; not judged to the end: ${walks}`
}

/** The places of a rule, if the run tells its profile and the rule has several. */
const placesOf = (
  { id }: Rule,
  found: ReadonlyArray<Finding>,
  profile: Profile | undefined
): Pick<RuleReport, "places"> => {
  const places = profile === undefined || !isRuleId(id) ? undefined : coverageOf(id, found, profile)
  return places === undefined ? {} : { places }
}

/** The profile among the evidence of a run; undefined if it was not recorded. */
const profileIn = (events: ReadonlyArray<Event>): Profile | undefined =>
  events.flatMap((event) =>
    event.type === "evidence" && event.evidence.of === "profile" ? [event.evidence.profile] : []
  )[0]

const tallyOf = (rules: ReadonlyArray<RuleReport>, level: Rule["level"]): typeof Tally.Type => {
  const of = (verdict: Verdict) => rules.filter((rule) => rule.level === level && rule.verdict === verdict).length
  return {
    pass: of("pass"),
    fail: of("fail"),
    warn: of("warn"),
    baselined: of("baselined"),
    blocked: of("blocked"),
    inconclusive: of("inconclusive"),
    "not-applicable": of("not-applicable"),
    observed: of("observed"),
    error: of("error"),
    elsewhere: of("elsewhere"),
    unchecked: of("unchecked")
  }
}

const observationsOf = (rules: ReadonlyArray<RuleReport>): Report["observations"] =>
  rules.flatMap(({ findings, id, text }) => {
    const told = new Map(
      findings.flatMap(({ observed }) => (observed === undefined ? [] : [[key(observed), observed]]))
    )
    return told.size === 0 ? [] : [{ rule: id, question: text, observed: [...told.values()] }]
  })

const key = (value: Schema.Json): string => JSON.stringify(value)

/** The exchanges that findings mention or that a reproduction needs. */
const keptOf = (rules: ReadonlyArray<RuleReport>, exchanges: ReadonlyArray<RecordedExchange>) => {
  const mentioned = rules.flatMap(({ findings }) =>
    findings.flatMap((found) => [...found.exchanges, ...found.differences.map(({ exchange }) => exchange)])
  )
  const chained = rules.filter(({ verdict }) => verdict === "fail" || verdict === "warn")
  const numbers = new Set([
    ...mentioned,
    ...chained.flatMap((rule) => chainOf(rule, exchanges).map(({ number }) => number))
  ])
  return exchanges.filter(({ number }) => numbers.has(number)).toSorted((left, right) => left.number - right.number)
}

/** The verdict of a rule without its baseline. */
export const foundIn = ({ baseline, verdict }: Pick<RuleReport, "baseline" | "verdict">): Verdict =>
  baseline?.verdict ?? verdict

/** Whether a rule failed, with or without a baseline entry. */
export const isBroken = (rule: Pick<RuleReport, "baseline" | "verdict">): boolean =>
  ["fail", "warn"].includes(foundIn(rule))

/** Returns the report with these rules and new counts. */
export const withRules = (
  report: Omit<Report, "rules" | "counts"> & { readonly counts: Pick<Report["counts"], "requests"> },
  rules: ReadonlyArray<RuleReport>
): Report => {
  const whole = {
    ...report,
    counts: {
      requests: report.counts.requests,
      MUST: tallyOf(rules, "MUST"),
      SHOULD: tallyOf(rules, "SHOULD"),
      MAY: tallyOf(rules, "MAY"),
      OBSERVE: tallyOf(rules, "OBSERVE")
    },
    rules
  }
  return { ...whole, headline: headlineOf(whole) }
}

/** Sorts findings by walk. Walks run concurrently and end in any order. */
const inOrder = (events: ReadonlyArray<Event>): ReadonlyArray<Finding> =>
  events
    .flatMap((event) => (event.type === "finding" ? [event.finding] : []))
    .toSorted((left, right) => (left.walk === right.walk ? 0 : left.walk < right.walk ? -1 : 1))

/** Builds the report from the events of a run; undefined if no run was started. */
export const reportOf = (
  events: ReadonlyArray<Event>,
  rules: ReadonlyArray<Rule> = catalogue,
  walks: JudgingWalks = everyWalk
): Report | undefined => {
  const started = events.find((event) => event.type === "run-started")
  if (started === undefined) return undefined
  const header = headerOf(
    started,
    events.find((event) => event.type === "run-ended")
  )
  const found = Map.groupBy(inOrder(events), ({ rule }): string => rule)
  const profile = profileIn(events)
  const reports = rules.map((rule) =>
    ruleReportOf(rule, found.get(rule.id) ?? [], header, found.size > 0, walks, profile)
  )
  const exchanges = events.flatMap((event) => (event.type === "exchange" ? [recorded(event.exchange)] : []))
  return withRules(
    {
      version: reportVersion,
      header,
      headline: "",
      counts: { requests: exchanges.filter(({ kind }) => kind !== "delivery").length },
      observations: observationsOf(reports),
      exchanges: keptOf(reports, exchanges),
      residue: events.flatMap((event) => (event.type === "residue" ? [event.residue] : [])),
      baseline: null
    },
    reports
  )
}
