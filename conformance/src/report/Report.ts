import { Schema } from "effect"
import { verdicts } from "../engine/Verdict.ts"
import { writtenAnswer, writtenExchange, writtenRun } from "../evidence/Written.ts"
import { differenceKinds } from "../judgement/Difference.ts"
import { impacts } from "../profile/Impact.ts"

const texts = Schema.Array(Schema.String)
const numbers = Schema.Array(Schema.Int)
const instant = Schema.String.annotate({ description: "ISO 8601, in UTC." })

const difference = Schema.Struct({
  kind: Schema.Literals(differenceKinds),
  exchange: Schema.Int.annotate({ description: "The number of the exchange." }),
  at: Schema.String,
  expected: Schema.Json,
  actual: Schema.Json,
  place: Schema.optionalKey(
    Schema.String.annotate({ description: "The call and the caller, such as POST /workers by a personal token." })
  )
})
export type ReportedDifference = typeof difference.Type

const finding = Schema.Struct({
  walk: Schema.String,
  outcome: Schema.Literals(["pass", "fail", "warn", "blocked", "inconclusive", "not-applicable", "observed", "error"]),
  differences: Schema.Array(difference),
  exchanges: numbers,
  places: Schema.optionalKey(texts.annotate({ description: "The calls and callers that were judged." })),
  reason: Schema.optionalKey(Schema.String),
  lacks: Schema.optionalKey(texts),
  observed: Schema.optionalKey(Schema.Json)
})

const ruleReport = Schema.Struct({
  id: Schema.String,
  sections: texts.annotate({ description: "Sections of the specification." }),
  level: Schema.Literals(["MUST", "SHOULD", "MAY", "OBSERVE"]),
  keptBy: Schema.Literals(["server", "client", "console"]),
  surface: Schema.String,
  text: Schema.String,
  judged: Schema.Literals(["pair", "answers", "every exchange", "observation", "elsewhere"]),
  impact: Schema.Literals(impacts),
  keptAt: Schema.optionalKey(Schema.String),
  accept: Schema.optionalKey(Schema.String),
  verdict: Schema.Literals(verdicts),
  reasons: texts.annotate({ description: "Why the rule was not judged." }),
  lacks: texts.annotate({ description: "The missing profile entries or permissions." }),
  findings: Schema.Array(finding),
  places: Schema.optionalKey(
    Schema.Struct({ of: Schema.Int, probed: Schema.Int, missing: texts }).annotate({
      description: "For a rule that can be broken at one call alone: the calls and callers judged, of those offered."
    })
  ),
  baseline: Schema.optionalKey(
    Schema.Struct({
      verdict: Schema.Literals(["fail", "warn"]),
      reason: Schema.String,
      expires: Schema.String
    }).annotate({ description: "For a baselined rule: its verdict without the baseline, the reason and the last day." })
  )
})
/** One rule and its result. */
export type RuleReport = typeof ruleReport.Type

const exchange = Schema.Struct({
  number: Schema.Int,
  ...writtenExchange(
    Schema.Struct({
      ...writtenAnswer,
      omitted: Schema.optionalKey(
        Schema.Int.annotate({ description: "Number of characters that are omitted from the text." })
      )
    }),
    instant
  )
})
/** An exchange in a report, cut if it is very long. */
export type RecordedExchange = typeof exchange.Type

/** The number of rules by verdict. */
export const Tally = Schema.Record(Schema.Literals(verdicts), Schema.Int)

/** The report version that this release writes and reads. */
export const reportVersion = 3

/**
 * The complete result of a run, with every rule of the catalogue. All other reports are made from its JSON. A change
 * that breaks readers increases the version.
 */
export const Report = Schema.Struct({
  version: Schema.Literal(reportVersion),
  header: Schema.Struct({
    ...writtenRun,
    ceiling: Schema.Literals(impacts),
    seed: Schema.optionalKey(
      Schema.Int.annotate({ description: "Pass it as --seed to repeat the random choices of the run." })
    ),
    startedAt: instant,
    endedAt: Schema.NullOr(instant),
    only: Schema.NullOr(texts).annotate({ description: "The selected rules; null for all." }),
    repeats: Schema.optionalKey(
      Schema.Array(Schema.Struct({ run: Schema.String, startedAt: instant, headline: Schema.String }))
    ).annotate({
      description: "The runs that this report combines, if there were several. Exchanges are those of the first run."
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
  }).annotate({ description: "The number of rules by level and verdict." }),
  rules: Schema.Array(ruleReport),
  observations: Schema.Array(
    Schema.Struct({ rule: Schema.String, question: Schema.String, observed: Schema.Array(Schema.Json) })
  ),
  exchanges: Schema.Array(exchange).annotate({
    description: "The exchanges that findings rely on, and those that reproducing a failure needs."
  }),
  residue: Schema.Array(Schema.Struct({ type: Schema.String, name: Schema.String, why: Schema.String })),
  baseline: Schema.NullOr(
    Schema.Struct({
      entries: Schema.Int,
      complaints: Schema.Array(Schema.Struct({ rule: Schema.String, why: Schema.String }))
    })
  ).annotate({ description: "Errors in the baseline; null without a baseline." })
}).annotate({ identifier: "Report", title: "Report of a run of the conformance suite" })
export type Report = typeof Report.Type
