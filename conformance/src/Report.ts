import { DateTime, Schema } from "effect"
import { catalogue } from "./Catalogue.ts"
import { chainOf } from "./Chain.ts"
import { differenceKinds } from "./Difference.ts"
import type { Event } from "./Event.ts"
import type { Exchange } from "./Exchange.ts"
import type { Finding } from "./Finding.ts"
import { headlineOf } from "./Headline.ts"
import { blasts, type Rule } from "./Rule.ts"
import { type Verdict, verdictOf, verdicts } from "./Verdict.ts"
import { writtenAnswer, writtenExchange, writtenRun } from "./Written.ts"

const texts = Schema.Array(Schema.String)
const numbers = Schema.Array(Schema.Int)
const instant = Schema.String.annotate({ description: "ISO 8601, in UTC." })

const difference = Schema.Struct({
  kind: Schema.Literals(differenceKinds),
  exchange: Schema.Int.annotate({ description: "The number of the exchange whose answer it is." }),
  at: Schema.String,
  expected: Schema.Json,
  actual: Schema.Json
})
export type ReportedDifference = typeof difference.Type

const finding = Schema.Struct({
  walk: Schema.String,
  outcome: Schema.Literals(["pass", "fail", "warn", "blocked", "inconclusive", "not-applicable", "observed", "error"]),
  differences: Schema.Array(difference),
  exchanges: numbers,
  reason: Schema.optionalKey(Schema.String),
  lacks: Schema.optionalKey(texts),
  observed: Schema.optionalKey(Schema.Json)
})

const ruleReport = Schema.Struct({
  id: Schema.String,
  sections: texts.annotate({ description: "Of the specification." }),
  level: Schema.Literals(["MUST", "SHOULD", "MAY", "OBSERVE"]),
  keptBy: Schema.Literals(["server", "client", "console"]),
  surface: Schema.String,
  text: Schema.String,
  judged: Schema.Literals(["pair", "answers", "every exchange", "observation", "elsewhere"]),
  blast: Schema.Literals(blasts),
  keptAt: Schema.optionalKey(Schema.String),
  accept: Schema.optionalKey(Schema.String),
  verdict: Schema.Literals(verdicts),
  reasons: texts.annotate({ description: "Why it has this verdict, where it was not judged." }),
  lacks: texts.annotate({ description: "What the profile would have to tell or allow for it to be judged." }),
  findings: Schema.Array(finding),
  baseline: Schema.optionalKey(
    Schema.Struct({
      verdict: Schema.Literals(["fail", "warn"]),
      reason: Schema.String,
      expires: Schema.String
    }).annotate({ description: "Of a rule that is baselined: what it would be without, why, and until which day." })
  )
})
/** One rule, and what the run says about it. */
export type RuleReport = typeof ruleReport.Type

const exchange = Schema.Struct({
  number: Schema.Int,
  ...writtenExchange(
    Schema.Struct({
      ...writtenAnswer,
      omitted: Schema.optionalKey(Schema.Int.annotate({ description: "Characters of the text that are left out." }))
    }),
    instant
  )
})
/** An exchange as reports keep it: redacted, and cut where it is very long. */
export type RecordedExchange = typeof exchange.Type

const tally = Schema.Record(Schema.Literals(verdicts), Schema.Int)

/** The version of reports that this release writes and reads. */
export const reportVersion = 2

/**
 * What a run found, whole: every rule of the catalogue, judged or not. Its JSON is the source of all other reports; a
 * change that readers of it could stumble over gives it another version.
 */
export const Report = Schema.Struct({
  version: Schema.Literal(reportVersion),
  header: Schema.Struct({
    ...writtenRun,
    ceiling: Schema.Literals(blasts),
    seed: Schema.optionalKey(Schema.Int.annotate({ description: "Repeats the run's choices, as --seed." })),
    startedAt: instant,
    endedAt: Schema.NullOr(instant),
    only: Schema.NullOr(texts).annotate({ description: "The rules that were asked about; null for all." }),
    repeats: Schema.optionalKey(
      Schema.Array(Schema.Struct({ run: Schema.String, startedAt: instant, headline: Schema.String }))
    ).annotate({
      description: "The runs that this is the sum of, where there were several: exchanges are the first's."
    }),
    ending: Schema.Struct({
      as: Schema.Literals(["finished", "interrupted", "unreachable", "broken off"]),
      sentence: Schema.optionalKey(Schema.String)
    })
  }),
  headline: Schema.String,
  counts: Schema.Struct({
    requests: Schema.Int,
    MUST: tally,
    SHOULD: tally,
    MAY: tally,
    OBSERVE: tally
  }).annotate({ description: "The rules of each level by verdict." }),
  rules: Schema.Array(ruleReport),
  observations: Schema.Array(
    Schema.Struct({ rule: Schema.String, question: Schema.String, observed: Schema.Array(Schema.Json) })
  ),
  exchanges: Schema.Array(exchange).annotate({
    description: "Those that findings rest on, and those that what is wrong was built on."
  }),
  residue: Schema.Array(Schema.Struct({ type: Schema.String, name: Schema.String, why: Schema.String })),
  baseline: Schema.NullOr(
    Schema.Struct({
      entries: Schema.Int,
      complaints: Schema.Array(Schema.Struct({ rule: Schema.String, why: Schema.String }))
    })
  ).annotate({ description: "What is wrong with the baseline that was given; null where none was." })
}).annotate({ identifier: "Report", title: "Report of a run of the conformance suite" })
export type Report = typeof Report.Type

/** As many characters of an answer are kept. */
const maxAnswerChars = 100_000

const iso = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))

const recorded = ({ answer, lastSent: _, startedAt, ...rest }: Exchange): RecordedExchange => {
  const omitted = Math.max(0, (answer?.text.length ?? 0) - maxAnswerChars)
  const { headers, status, text } = answer ?? { headers: {}, status: 0, text: "" }
  const kept = { status, headers, text: text.slice(0, maxAnswerChars), ...(omitted === 0 ? {} : { omitted }) }
  return { ...rest, answer: answer === null ? null : kept, startedAt: iso(startedAt) }
}

type Started = Extract<Event, { readonly type: "run-started" }>
type Ended = Extract<Event, { readonly type: "run-ended" }>

const headerOf = (started: Started, ended: Ended | undefined): Report["header"] => {
  const { catalogueDigest, ceiling, deployment, only, profile, run, seed, suiteVersion, target } = started
  return {
    ...{ run, suiteVersion, catalogueDigest, profile, deployment, target, ceiling, only },
    ...(seed === undefined ? {} : { seed }),
    startedAt: iso(started.startedAt),
    endedAt: ended === undefined ? null : iso(ended.endedAt),
    ending: ended?.ending ?? { as: "broken off", sentence: "the suite itself broke off before the run had ended" }
  }
}

/** What is said of a rule that the run came to no finding about. */
const unfound = (rule: Rule, header: Report["header"], hasJudged: boolean): readonly [Verdict, string] => {
  if (rule.judged === "elsewhere") {
    return ["elsewhere", `kept by the ${rule.keptAt ?? rule.keptBy}, and judged there`]
  }
  if (header.only !== null && !header.only.includes(rule.id)) return ["unchecked", "it was not asked about"]
  // a run that came this far has a finding about every rule that it judges
  if (header.ending.as === "finished" || hasJudged) return ["unchecked", "no check of this release judges it"]
  return ["blocked", header.ending.sentence ?? "the run ended before it was judged"]
}

const ruleReportOf = (
  rule: Rule,
  found: ReadonlyArray<Finding>,
  header: Report["header"],
  hasJudged: boolean
): RuleReport => {
  const { blast, id, judged, keptBy, level, sections, surface, text } = rule
  const about = { id, sections, level, keptBy, surface, text, judged, blast }
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
  return {
    ...about,
    ...more,
    verdict,
    reasons: [...new Set(decisive.flatMap(({ reason }) => reason ?? []))],
    lacks: [...new Set(decisive.flatMap(({ lacks }) => lacks ?? []))],
    findings: found.map(({ rule: _, ...rest }) => rest)
  }
}

const tallyOf = (rules: ReadonlyArray<RuleReport>, level: Rule["level"]): typeof tally.Type => {
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

/** The exchanges that findings mention, and those that reproducing what is wrong takes. */
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

/** What was found of a rule, whatever a baseline says of it. */
export const foundIn = ({ baseline, verdict }: Pick<RuleReport, "baseline" | "verdict">): Verdict =>
  baseline?.verdict ?? verdict

/** Whether a rule was found broken, be it known or not. */
export const isBroken = (rule: Pick<RuleReport, "baseline" | "verdict">): boolean =>
  ["fail", "warn"].includes(foundIn(rule))

/** A report of these rules: what counts them counts them anew. */
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

/** Findings by their walks, and those of one walk as they came: walks are made at the same time, and end in any order. */
const inOrder = (events: ReadonlyArray<Event>): ReadonlyArray<Finding> =>
  events
    .flatMap((event) => (event.type === "finding" ? [event.finding] : []))
    .toSorted((left, right) => (left.walk === right.walk ? 0 : left.walk < right.walk ? -1 : 1))

/** What the events of a run come to; undefined where no run was started. */
export const reportOf = (events: ReadonlyArray<Event>, rules: ReadonlyArray<Rule> = catalogue): Report | undefined => {
  const started = events.find((event) => event.type === "run-started")
  if (started === undefined) return undefined
  const header = headerOf(
    started,
    events.find((event) => event.type === "run-ended")
  )
  const found = Map.groupBy(inOrder(events), ({ rule }): string => rule)
  const reports = rules.map((rule) => ruleReportOf(rule, found.get(rule.id) ?? [], header, found.size > 0))
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
