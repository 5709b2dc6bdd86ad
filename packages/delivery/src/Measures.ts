import type { LeaseKind } from "@wcs/domain/lease/LeaseStore"
import type { Outcome } from "@wcs/domain/message/Message"
import { type AttemptResult, isOurs, isTaken } from "@wcs/domain/webhook/Delivery"
import { Clock, Effect, Metric } from "effect"

const attempts = Metric.counter("delivery_attempts_total", {
  description: "Delivery attempts, by outcome.",
  incremental: true
})
const inFlightGauge = Metric.gauge("delivery_attempts_in_flight", { description: "Delivery attempts in flight." })
const lag = Metric.gauge("delivery_lag_seconds", {
  description: "Longest wait of a new delivery before its first attempt, in the last round with one."
})
const leasedGauge = Metric.gauge("leased_partitions", {
  description: "Partitions of the work that this worker leases, of 64, by kind."
})
const deadLettersTotal = Metric.counter("dead_letters_total", {
  description: "Events that could not be sent and became dead letters. A repeated failure counts again.",
  incremental: true
})
const sealedTotal = Metric.counter("audit_entries_sealed_total", {
  description: "Entries of the audit log that were sealed.",
  incremental: true
})
const warnedTotal = Metric.counter("expiry_warnings_total", {
  description: "Events that warn of a card that expires or has expired.",
  incremental: true
})
const scheduledTotal = Metric.counter("scheduled_verifications_total", {
  description: "Verifications that the schedule of a register started.",
  incremental: true
})
const messagesTotal = Metric.counter("messages_total", {
  description: "Attempts to send a message to a user, by their end.",
  incremental: true
})
const attemptSeconds = Metric.histogram("delivery_attempt_duration_seconds", {
  description: "Seconds of a delivery attempt, to the end of the response.",
  boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]
})
const questionSeconds = Metric.histogram("verification_question_duration_seconds", {
  description: "Seconds of a register query, with its tries.",
  boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
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

/** Sets the longest wait of new deliveries before their first attempts, in milliseconds. */
export const waited = (millis: number): Effect.Effect<void> => Metric.update(lag, millis / 1000)

/** Sets the number of partitions that this worker leases. */
export const leased = (kind: LeaseKind, count: number): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(leasedGauge, { kind }), count)

/** Counts dead letters. */
export const deadLettered = (count: number): Effect.Effect<void> => Metric.update(deadLettersTotal, count)

/** Counts warnings of cards that expire or have expired. */
export const warned = (count: number): Effect.Effect<void> => Metric.update(warnedTotal, count)

/** Counts an attempt to send a message by its end. */
export const sent = ({ _tag }: Outcome): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(messagesTotal, { outcome: _tag.toLowerCase() }), 1)

/** Counts verifications that a schedule started. */
export const scheduled = (count: number): Effect.Effect<void> => Metric.update(scheduledTotal, count)

/** Counts sealed entries of the audit log. */
export const sealed = (count: number): Effect.Effect<void> => Metric.update(sealedTotal, count)

const questionCounters = {
  Concluded: Metric.withAttributes(questions, { outcome: "concluded" }),
  Postponed: Metric.withAttributes(questions, { outcome: "postponed" }),
  AwaitsReview: Metric.withAttributes(questions, { outcome: "awaits review" })
}

/** Records the duration of a delivery attempt, in milliseconds. */
export const attempted = (millis: number): Effect.Effect<void> => Metric.update(attemptSeconds, millis / 1000)

/** Records the duration of a register query. */
export const timing = Effect.fnUntraced(function* <A>(query: Effect.Effect<A>) {
  const began = yield* Clock.currentTimeMillis
  const answer = yield* query
  yield* Metric.update(questionSeconds, ((yield* Clock.currentTimeMillis) - began) / 1000)
  return answer
})

/** Counts a register query by the conclusion of its run. */
export const asked = (outcome: keyof typeof questionCounters): Effect.Effect<void> =>
  Metric.update(questionCounters[outcome], 1)

/** Shows each counter as 0 before its first event, so that its first increase is seen. */
export const begin: Effect.Effect<void> = Effect.gen(function* () {
  for (const counter of [
    ...Object.values(counters),
    ...Object.values(questionCounters),
    deadLettersTotal,
    sealedTotal
  ]) {
    yield* Metric.update(counter, 0)
  }
})
