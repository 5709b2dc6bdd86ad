import { Schema } from "effect"
import { isLapsed } from "../shared/CalendarDay.ts"
import { CalendarDate } from "../shared/Instant.ts"
import { line } from "../shared/Text.ts"
import { isConclusive, type StatusDetail, StatusDetailWord, type Verdict } from "./Verification.ts"

// What a person decides where a register leaves a question open (DECISIONS.md#registers).

const outcomes = ["MAY_ENGAGE", "MAY_NOT_ENGAGE"] as const
type Outcome = (typeof outcomes)[number]

/** What may be decided about a question. `days` is the longest time from today to the end of a decision. */
interface Decidable {
  readonly outcomes: ReadonlyArray<Outcome>
  readonly days: number
}

/**
 * The questions that a decision can answer. Details that are missing and a card that has expired are for the person who
 * holds the card: a decision only takes them from the queue, and lets nobody work. A review that waits (`QUEUED_MANUAL`)
 * is answered by a verdict, not by a decision.
 */
export const decidable: Readonly<Partial<Record<StatusDetail, Decidable>>> = {
  POSSIBLE_MATCH: { outcomes, days: 366 },
  CONDITIONAL: { outcomes, days: 366 },
  MANUAL_REVIEW_REQUIRED: { outcomes, days: 366 },
  VOLUNTEER_ONLY: { outcomes, days: 92 },
  APPLICATION_IN_PROGRESS: { outcomes, days: 92 },
  DETAILS_MISSING: { outcomes: ["MAY_NOT_ENGAGE"], days: 92 },
  EXPIRED: { outcomes: ["MAY_NOT_ENGAGE"], days: 366 }
}

/** The body of a decision. */
export const DecisionRequest = Schema.Struct({
  outcome: Schema.Literals(outcomes).annotate({ description: "Whether the person may be engaged with this card." }),
  reason: line(1000).annotateKey({ description: "Why, for colleagues and auditors." }),
  endsOn: CalendarDate.annotateKey({
    description: "Last day of the decision, today or later. How late it can be depends on the question."
  })
})
export type DecisionRequest = typeof DecisionRequest.Type

/** A decision as the credential keeps it. */
export const Decision = Schema.Struct({
  ...DecisionRequest.fields,
  about: Schema.Array(StatusDetailWord).annotate({
    description: "The questions that were open. The decision answers these and no others."
  }),
  decidedAt: Schema.String.annotate({ format: "date-time", description: "When the decision was recorded." }),
  account: Schema.String.annotate({ description: "The URN of the account that decided." })
})
export type Decision = typeof Decision.Type

type Bounds = Pick<Decision, "about" | "endsOn">

/** Whether a later verdict ends a decision: it keeps the person from work, or asks something else. */
export const isOutranked = ({ about }: Pick<Decision, "about">, later: Verdict): boolean =>
  isConclusive(later) && later.eligibility !== "MAY_ENGAGE" && !about.includes(later.statusDetail)

/** Whether a decision is in force on a day, `YYYY-MM-DD`. `later` are the verdicts since then, in any order. */
export const inForce = (decision: Bounds, later: ReadonlyArray<Verdict>, day: string): boolean =>
  !isLapsed(decision.endsOn, day) && !later.some((verdict) => isOutranked(decision, verdict))
