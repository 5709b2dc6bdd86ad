import { type AttemptResult, isTaken } from "@wcs/domain/Delivery"
import type { Instant } from "@wcs/domain/Instant"
import { Effect, Metric } from "effect"

const attempts = Metric.counter("delivery_attempts_total", {
  description: "Attempts to deliver, by what came of them.",
  incremental: true
})
const inFlight = Metric.gauge("delivery_attempts_in_flight", { description: "Attempts that have not ended yet." })
const lag = Metric.gauge("delivery_lag_seconds", {
  description: "How long the most delayed of the deliveries that were taken last was due."
})
const questions = Metric.counter("verification_questions_total", {
  description: "Questions to registers, by what came of them.",
  incremental: true
})

/** Of a few words only: a metric keeps a series for each. */
export type AttemptOutcome = "taken" | "refused" | "unanswered" | "skipped"

export const outcomeOf = (result: AttemptResult): AttemptOutcome =>
  isTaken(result) ? "taken" : result._tag === "Answered" ? "refused" : "unanswered"

const byOutcome = (outcome: AttemptOutcome) => Metric.withAttributes(attempts, { outcome })
const counters = {
  taken: byOutcome("taken"),
  refused: byOutcome("refused"),
  unanswered: byOutcome("unanswered"),
  skipped: byOutcome("skipped")
}

/** Counts what has ended, many at once. */
export const ended = Effect.fnUntraced(function* (outcomes: ReadonlyArray<AttemptOutcome>) {
  for (const [outcome, counter] of Object.entries(counters)) {
    const count = outcomes.filter((one) => one === outcome).length
    if (count > 0) yield* Metric.update(counter, count)
  }
})

/** Shows how many have not ended. */
export const flying = (count: number): Effect.Effect<void> => Metric.update(inFlight, count)

/** Shows how late deliveries were taken that became due at these moments. */
export const taken = (due: ReadonlyArray<Instant | null>, now: Instant): Effect.Effect<void> =>
  Metric.update(
    lag,
    due.reduce<number>((most, moment) => Math.max(most, (now - (moment ?? now)) / 1000), 0)
  )

const questionCounters = {
  Concluded: Metric.withAttributes(questions, { outcome: "concluded" }),
  Postponed: Metric.withAttributes(questions, { outcome: "postponed" }),
  SetAside: Metric.withAttributes(questions, { outcome: "set aside" })
}

/** Counts a question by what became of its run. */
export const asked = (outcome: keyof typeof questionCounters): Effect.Effect<void> =>
  Metric.update(questionCounters[outcome], 1)
