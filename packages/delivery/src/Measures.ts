import type { Instant } from "@wcs/domain/shared/Instant"
import { type AttemptResult, isOurs, isTaken } from "@wcs/domain/webhook/Delivery"
import type { ClaimedDelivery } from "@wcs/domain/webhook/DeliveryStore"
import { Effect, Metric } from "effect"

const attempts = Metric.counter("delivery_attempts_total", {
  description: "Attempts to deliver, by what came of them.",
  incremental: true
})
const inFlight = Metric.gauge("delivery_attempts_in_flight", { description: "Attempts that have not ended yet." })
const lag = Metric.gauge("delivery_lag_seconds", {
  description: "How long the oldest of the new deliveries that were taken last had waited."
})
const eventsSetAside = Metric.counter("events_set_aside_total", {
  description: "Events that could not be sent and were set aside, each time one was.",
  incremental: true
})
const questions = Metric.counter("verification_questions_total", {
  description: "Questions to registers, by what came of them.",
  incremental: true
})

/** Of a few words only: a metric keeps a series for each. */
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

/** Counts what has ended, many at once. */
export const ended = Effect.fnUntraced(function* (outcomes: ReadonlyArray<AttemptOutcome>) {
  for (const [outcome, counter] of Object.entries(counters)) {
    const count = outcomes.filter((one) => one === outcome).length
    if (count > 0) yield* Metric.update(counter, count)
  }
})

/** Shows how many have not ended. */
export const flying = (count: number): Effect.Effect<void> => Metric.update(inFlight, count)

/** Shows how late those were taken that are attempted for the first time. */
export const taken = (claimed: ReadonlyArray<ClaimedDelivery>, now: Instant): Effect.Effect<void> => {
  const waited = claimed.flatMap(({ delivery }) => (delivery.attemptCount === 0 ? [now - delivery.createdAt] : []))
  return waited.length === 0 ? Effect.void : Metric.update(lag, Math.max(...waited) / 1000)
}

/** Counts events that could not be sent. */
export const setAside = (count: number): Effect.Effect<void> => Metric.update(eventsSetAside, count)

const questionCounters = {
  Concluded: Metric.withAttributes(questions, { outcome: "concluded" }),
  Postponed: Metric.withAttributes(questions, { outcome: "postponed" }),
  SetAside: Metric.withAttributes(questions, { outcome: "set aside" })
}

/** Counts a question by what became of its run. */
export const asked = (outcome: keyof typeof questionCounters): Effect.Effect<void> =>
  Metric.update(questionCounters[outcome], 1)
