import { Schema } from "effect"
import { time } from "../resource/ShownFields.ts"
import { CalendarDate } from "../shared/Instant.ts"
import { line } from "../shared/Text.ts"
import { isConclusive, type StatusDetail, StatusDetailWord, type Verdict } from "./Verification.ts"

// What a person decides where a register leaves a question open (DECISIONS.md#registers).

const outcomes = ["MAY_ENGAGE", "MAY_NOT_ENGAGE"] as const
export const Outcome = Schema.Literals(outcomes)
type Outcome = typeof Outcome.Type

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
  outcome: Outcome.annotate({ description: "Whether the person may be engaged with this card." }),
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
    description: "The questions that it answers, and no others. Empty if it only lifts an earlier decision."
  }),
  decidedAt: time.annotate({ description: "When the decision was recorded." }),
  account: Schema.String.annotate({ description: "The URN of the account that decided." })
})
export type Decision = typeof Decision.Type

/** Whether only the person who holds the card can answer: nothing that is decided lets anybody work. */
const isForHolder = (question: StatusDetail): boolean => decidable[question]?.outcomes.includes("MAY_ENGAGE") !== true

/** The questions of a decision that keep the person from work until its last day. */
export const barredBy = (decision: Pick<Decision, "about" | "outcome"> | undefined): ReadonlyArray<StatusDetail> =>
  decision?.outcome === "MAY_NOT_ENGAGE" ? decision.about.filter((question) => !isForHolder(question)) : []

/** Whether a question can come from the card number, so that a verdict does not answer it. */
const isOfNumber = (question: StatusDetail): boolean =>
  question === "VOLUNTEER_ONLY" || question === "APPLICATION_IN_PROGRESS"

/**
 * Whether a later verdict ends a decision for good. MAY_ENGAGE ends when the verdict refuses, asks something else, or no
 * longer asks what the register asked. MAY_NOT_ENGAGE outlasts each verdict. If it only took a card from the queue, it
 * ends when the verdict says something else.
 */
export const isOutranked = ({ about, outcome }: Pick<Decision, "about" | "outcome">, later: Verdict): boolean => {
  if (!isConclusive(later)) return false
  const isSame = about.includes(later.statusDetail)
  if (outcome === "MAY_NOT_ENGAGE") return !isSame && barredBy({ about, outcome }).length === 0
  const isAsked = about.every((question) => isOfNumber(question) || question === later.statusDetail)
  return !isAsked || (later.eligibility !== "MAY_ENGAGE" && !isSame)
}

/** The questions that bound a decision: the open ones, or else those of the decision that it replaces. */
export const decidedIn = (
  open: ReadonlyArray<StatusDetail>,
  replaced: Decision | undefined
): ReadonlyArray<StatusDetail> => {
  if (open.length > 0) return open
  const barred = barredBy(replaced)
  return barred.length > 0 ? barred : (replaced?.about ?? [])
}

/**
 * The questions that a decision is about. MAY_NOT_ENGAGE keeps those that another one in force bars. MAY_ENGAGE answers
 * only what is open, or what the last verdict asked: otherwise a later verdict would find an answer that nobody gave to it.
 */
export const aboutOf = (
  outcome: Outcome,
  open: ReadonlyArray<StatusDetail>,
  replaced: Decision | undefined,
  last: StatusDetail | undefined
): ReadonlyArray<StatusDetail> => {
  const decided = decidedIn(open, replaced)
  return outcome === "MAY_NOT_ENGAGE"
    ? [...new Set([...decided, ...barredBy(replaced)])]
    : decided.filter((question) => open.includes(question) || isOfNumber(question) || question === last)
}
