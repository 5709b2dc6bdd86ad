import { Schema } from "effect"
import { impacts } from "../catalogue/Impact.ts"
import { verdicts } from "../engine/Verdict.ts"
import { differenceKinds } from "../evidence/Difference.ts"
import { writtenAnswer, writtenExchange, writtenRun } from "../evidence/Written.ts"

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
  impact: Schema.Literals(impacts),
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

/** Rules of a level, by verdict. */
export const Tally = Schema.Record(Schema.Literals(verdicts), Schema.Int)

/** The version of reports that this release writes and reads. */
export const reportVersion = 3

/**
 * What a run found, whole: every rule of the catalogue, judged or not. Its JSON is the source of all other reports; a
 * change that readers of it could stumble over gives it another version.
 */
export const Report = Schema.Struct({
  version: Schema.Literal(reportVersion),
  header: Schema.Struct({
    ...writtenRun,
    ceiling: Schema.Literals(impacts),
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
    MUST: Tally,
    SHOULD: Tally,
    MAY: Tally,
    OBSERVE: Tally
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
