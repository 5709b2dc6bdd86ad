import type { Instant } from "@wcs/domain/shared/Instant"
import { continuing } from "@wcs/domain/shared/TraceContext"
import {
  type AttemptResult,
  afterAttempt,
  type Delivery,
  exchangeOf,
  isGone,
  isOurs,
  isTaken,
  skipped,
  takes
} from "@wcs/domain/webhook/Delivery"
import { DeliverySettings } from "@wcs/domain/webhook/DeliverySchedule"
import type { Settlement } from "@wcs/domain/webhook/DeliveryStore"
import type { WebhookFields } from "@wcs/domain/webhook/Webhook"
import { Cause, Clock, Effect, Option, Random, Result } from "effect"
import * as Measures from "./Measures.ts"
import { commonHeaders, Sender, SenderSettings } from "./Sender.ts"
import { Signature } from "./Signature.ts"

/** A delivery that this worker attempts, with its webhook. */
export interface ClaimedDelivery {
  readonly delivery: Delivery
  /** None when the webhook is deleted, a failure when its row cannot be read. */
  readonly webhook: Result.Result<Option.Option<WebhookFields>, unknown>
  /** When the webhook was read. */
  readonly readAt: Instant
}

/** A finished delivery whose result is not stored yet. */
export interface Ended extends Settlement {
  readonly outcome: Measures.AttemptOutcome
  /** The receiver answered 410. */
  readonly isGone: boolean
  /** When the webhook was read. */
  readonly readAt: Instant
  readonly endedAt: Instant
}

/** Whether the delivery is a ping. Its caller waits, and it does not count for the webhook's health. */
export const isTrial = ({ kind }: Delivery): boolean => kind === "webhook.test"

/** The webhook to send to, or why it cannot be read; none when it is deleted or must not get the delivery. */
export const takerOf = ({
  delivery,
  webhook
}: ClaimedDelivery): Option.Option<Result.Result<WebhookFields, unknown>> =>
  Result.isFailure(webhook)
    ? Option.some(Result.fail(webhook.failure))
    : webhook.success.pipe(
        Option.filter((fields) => takes(fields, delivery.kind)),
        Option.map((fields) => Result.succeed(fields))
      )

/** The end of a delivery that is not attempted. */
export const skip = ({ delivery, readAt }: ClaimedDelivery, now: Instant): Ended => ({
  before: delivery,
  delivery: skipped(delivery),
  succeeded: null,
  outcome: "skipped",
  isGone: false,
  readAt,
  endedAt: now
})

/** The result of an attempt that could not be sent. */
const unsent: AttemptResult = { _tag: "Unanswered", fault: "INTERNAL_ERROR" }

/**
 * The result of an attempt that failed inside the service. It is retried like any other failure. Abandoned attempts do
 * not count.
 */
const failed = (
  { id, webhookId }: Delivery,
  cause: Cause.Cause<unknown>,
  isAbandoned: () => boolean
): Effect.Effect<AttemptResult> =>
  isAbandoned()
    ? Effect.interrupt
    : Effect.logError("An attempt failed inside the service.", Cause.pretty(cause)).pipe(
        Effect.annotateLogs({ deliveryId: id, webhookId }),
        Effect.as(unsent)
      )

const attributesOf = ({ attemptCount, id, kind, tenantId, webhookId }: Delivery) => ({
  "wcs.tenant_id": tenantId,
  "wcs.webhook_id": webhookId,
  "wcs.delivery_id": id,
  "wcs.event": kind,
  "wcs.attempt": attemptCount + 1
})

const resultAttributes = (result: AttemptResult) =>
  result._tag === "Answered" ? { "http.response.status_code": result.status } : { "error.type": result.fault }

/** Returns the function that makes one attempt. `isAbandoned` tells whether the worker has abandoned its attempts. */
export const make = Effect.fnUntraced(function* (isAbandoned: () => boolean) {
  const { retryDelaysMillis } = yield* DeliverySettings
  const sender = yield* Sender
  const { userAgent } = yield* SenderSettings
  const signature = yield* Signature

  const send = Effect.fnUntraced(function* (delivery: Delivery, webhook: Result.Result<WebhookFields, unknown>) {
    if (Result.isFailure(webhook)) return yield* Effect.die(webhook.failure)
    const { secrets, url } = webhook.success
    const body = Buffer.from(delivery.body)
    const headers = yield* signature.headers(delivery, body, secrets)
    const result: AttemptResult = yield* sender.send({ url, headers, body })
    return { result, exchange: exchangeOf(delivery, { ...headers, ...commonHeaders(userAgent) }, result) }
  })

  /** One attempt, in a span of the trace of its event. */
  const attempt = (delivery: Delivery, webhook: Result.Result<WebhookFields, unknown>) =>
    Effect.catchCause(send(delivery, webhook), (cause) =>
      Effect.map(failed(delivery, cause, isAbandoned), (result) => ({
        result,
        exchange: exchangeOf(delivery, undefined, result)
      }))
    ).pipe(
      Effect.tap(({ result }) => Effect.annotateCurrentSpan(resultAttributes(result))),
      continuing(delivery.traceparent, { name: "delivery", kind: "client", attributes: attributesOf(delivery) })
    )

  return Effect.fnUntraced(function* (claimed: ClaimedDelivery, webhook: Result.Result<WebhookFields, unknown>) {
    const { delivery, readAt } = claimed
    const at = yield* Clock.currentTimeMillis
    const { exchange, result } = yield* attempt(delivery, webhook)
    const now = yield* Clock.currentTimeMillis
    const times = { at, durationMillis: now - at }
    yield* Measures.attempted(now - at)
    const jitter = yield* Random.next
    return {
      before: delivery,
      delivery: afterAttempt(delivery, result, times, retryDelaysMillis, now, jitter),
      exchange,
      succeeded: isTrial(delivery) || isOurs(result) ? null : isTaken(result),
      outcome: Measures.outcomeOf(result),
      isGone: isGone(result),
      readAt,
      endedAt: now
    } satisfies Ended
  })
})
