import type { Instant } from "@wcs/domain/shared/Instant"
import { type AttemptResult, isOurs, isTaken } from "@wcs/domain/webhook/Delivery"
import type { ClaimedDelivery } from "@wcs/domain/webhook/DeliveryStore"
import { Effect, Metric } from "effect"

const attempts = Metric.counter("delivery_attempts_total", {
  description: "Delivery attempts, by outcome.",
  incremental: true
})
const inFlightGauge = Metric.gauge("delivery_attempts_in_flight", { description: "Delivery attempts in flight." })
const lag = Metric.gauge("delivery_lag_seconds", {
  description: "Longest wait of a new delivery before its first attempt, in the last claim."
})
const deadLettersTotal = Metric.counter("events_set_aside_total", {
  description: "Events that could not be sent and became dead letters. A repeated failure counts again.",
  incremental: true
})
const questions = Metric.counter("verification_questions_total", {
  description: "Register queries, by outcome.",
  incremental: true
})

/** Keep this set small: each value is a time series. */
export type AttemptOutcome = "taken" | "refused" | "unanswered" | "unsent" | "skipped"

export const outcomeOf = (result: AttemptResult): AttemptOutcome => {
  if (isTaken(result)) return "taken"
  if (result._tag === "Answered") return "refused"
  return isOurs(result) ? "unsent" : "unanswered"
}

const byOutcome = (outcome: AttemptOutcome) => Metric.withAttributes(attempts, { outcome })
const counters = {
  taken: byOutcome("taken"),
  refused: byOutcome("refused"),
  unanswered: byOutcome("unanswered"),
  unsent: byOutcome("unsent"),
  skipped: byOutcome("skipped")
}

/** Counts finished attempts. */
export const ended = Effect.fnUntraced(function* (outcomes: ReadonlyArray<AttemptOutcome>) {
  for (const [outcome, counter] of Object.entries(counters)) {
    const count = outcomes.filter((one) => one === outcome).length
    if (count > 0) yield* Metric.update(counter, count)
  }
})

/** Sets the number of attempts in flight. */
export const inFlight = (count: number): Effect.Effect<void> => Metric.update(inFlightGauge, count)

/** Sets the delay from the creation of a delivery to its first attempt. */
export const taken = (claimed: ReadonlyArray<ClaimedDelivery>, now: Instant): Effect.Effect<void> => {
  const waited = claimed.flatMap(({ delivery }) => (delivery.attemptCount === 0 ? [now - delivery.createdAt] : []))
  return waited.length === 0 ? Effect.void : Metric.update(lag, Math.max(...waited) / 1000)
}

/** Counts dead letters. */
export const deadLettered = (count: number): Effect.Effect<void> => Metric.update(deadLettersTotal, count)

const questionCounters = {
  Concluded: Metric.withAttributes(questions, { outcome: "concluded" }),
  Postponed: Metric.withAttributes(questions, { outcome: "postponed" }),
  AwaitsReview: Metric.withAttributes(questions, { outcome: "set aside" })
}

/** Counts a register query by the conclusion of its run. */
export const asked = (outcome: keyof typeof questionCounters): Effect.Effect<void> =>
  Metric.update(questionCounters[outcome], 1)
