import { Schema } from "effect"
import { time } from "../resource/ShownFields.ts"
import { isLapsed } from "../shared/CalendarDay.ts"
import { CalendarDate, dayAfter } from "../shared/Instant.ts"
import { line } from "../shared/Text.ts"
import type { Eligibility } from "./Verification.ts"

// What a person decides about a record of a register of bans that only may be about the worker (DECISIONS.md#fields).

/** What may be decided. */
export const decisionOutcomes = ["MAY_ENGAGE", "MAY_NOT_ENGAGE"] as const

/** The longest time from today to the end of a decision. */
const daysMax = 366

/** The body of a decision. */
export const BanDecisionRequest = Schema.Struct({
  outcome: Schema.Literals(decisionOutcomes).annotate({
    description: "MAY_ENGAGE: the record is about another person. MAY_NOT_ENGAGE: it is about the worker."
  }),
  reason: line(1000).annotateKey({ description: "Why, for colleagues and auditors." }),
  endsOn: CalendarDate.annotateKey({
    description: `Last day of the decision, at least today and at most ${daysMax} days later.`
  })
})
export type BanDecisionRequest = typeof BanDecisionRequest.Type

/** What may be decided about a record. */
export const BanDecisionBounds = Schema.Struct({
  outcomes: Schema.Array(Schema.Literals(decisionOutcomes)).annotate({
    description: "The outcomes that are possible. Empty if nothing can be decided, also for the caller's own record."
  }),
  until: Schema.NullOr(CalendarDate).annotate({
    description: "The latest `endsOn`. Null if nothing can be decided."
  })
})
export type BanDecisionBounds = typeof BanDecisionBounds.Type

/** A decision as the record keeps it. */
export const BanDecision = Schema.Struct({
  ...BanDecisionRequest.fields,
  decidedAt: time.annotate({ description: "When the decision was recorded." }),
  account: Schema.String.annotate({ description: "The URN of the account that decided." })
})
export type BanDecision = typeof BanDecision.Type

interface Recorded {
  readonly eligibility: Eligibility
  readonly decision?: BanDecision
}

/** The verdict of a record on a day: that of its decision while one about a possible match is in force. */
export const eligibilityOn = ({ decision, eligibility }: Recorded, today: string): Eligibility =>
  eligibility === "REVIEW_REQUIRED" && decision !== undefined && !isLapsed(decision.endsOn, today)
    ? decision.outcome
    : eligibility

/** The latest end of a decision, `YYYY-MM-DD`; null if the record is no possible match. */
export const decidableUntil = ({ eligibility }: Recorded, today: string): string | null =>
  eligibility === "REVIEW_REQUIRED" ? dayAfter(today, daysMax) : null
