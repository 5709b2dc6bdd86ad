import { Schema } from "effect"
import { EventKind, eventKinds } from "../event/EventKind.ts"
import { createdAt, time, timeOrNull, typeField } from "../resource/ShownFields.ts"
import type { Timeline } from "../resource/Timeline.ts"
import { DeliveryId } from "../shared/Id.ts"
import { type Instant, toRfc3339, toRfc3339OrNull } from "../shared/Instant.ts"
import { nextAttemptAt } from "./DeliverySchedule.ts"
import { answeredHeaders, concealed, Exchange, exchangesKept, sentHeaders, storable } from "./Exchange.ts"
import type { WebhookFields } from "./Webhook.ts"

/** Delivery states (DECISIONS.md#webhooks). */
export const deliveryStates = ["PENDING", "DELIVERED", "FAILED_RETRYABLE", "EXHAUSTED", "SKIPPED_DISABLED"] as const
export const DeliveryState = Schema.Literals(deliveryStates).annotate({ identifier: "DeliveryState" })
export type DeliveryState = typeof DeliveryState.Type

/** Why an attempt got no response. */
export const attemptFaults = [
  /** The host name does not resolve. */
  "NAME_NOT_FOUND",
  /** The host is or resolves to a refused address. */
  "ADDRESS_REFUSED",
  "CONNECTION_FAILED",
  "TLS_FAILED",
  "TIMEOUT",
  /** The response was not HTTP, or ended early. */
  "INVALID_RESPONSE",
  /** The service could not build or sign the request. Nothing was sent. */
  "INTERNAL_ERROR"
] as const
export type AttemptFault = (typeof attemptFaults)[number]

/** One attempt to deliver. */
export const Attempt = Schema.Struct({
  number: Schema.Int.annotate({ description: "Number of the attempt from 1, over all redrives." }),
  at: time.annotate({ description: "When the attempt started." }),
  durationMillis: Schema.Int.annotate({ description: "Duration of the attempt in milliseconds." }),
  responseStatus: Schema.NullOr(Schema.Int).annotate({
    description: "HTTP status of the receiver. Null if there was no response."
  }),
  fault: Schema.NullOr(Schema.Literals(attemptFaults)).annotate({
    description:
      "Why there was no response. Null if there was one. INTERNAL_ERROR: the service failed, nothing was sent."
  })
}).annotate({ identifier: "DeliveryAttempt" })
export type Attempt = typeof Attempt.Type

/** How many of a delivery's attempts are kept: the latest. */
const attemptsKept = 20

/** One event for one webhook. The id stays the same over all attempts. */
export interface Delivery {
  readonly id: string
  readonly tenantId: string
  readonly webhookId: string
  readonly eventId: string
  /** The id of the resource that the event is about. Null if the delivery is from before deliveries kept it. */
  readonly subjectId: string | null
  readonly kind: EventKind
  readonly correlationId: string | null
  readonly state: DeliveryState
  /** The exact bytes of every attempt. */
  readonly body: string
  readonly attemptCount: number
  /** Failed attempts since the delivery was created or redriven. */
  readonly failures: number
  /** The latest attempts, oldest first. */
  readonly attempts: ReadonlyArray<Attempt>
  /** The start of the last response body; null when there was no response. */
  readonly lastResponse: string | null
  /** When the next attempt is due; null when the delivery is finished. */
  readonly dueAt: Instant | null
  readonly createdAt: Instant
  readonly deliveredAt: Instant | null
  /** The trace that its attempts continue; null if there is none. */
  readonly traceparent: string | null
}

/** A new delivery. */
export type DeliveryDraft = Pick<
  Delivery,
  | "id"
  | "tenantId"
  | "webhookId"
  | "eventId"
  | "subjectId"
  | "kind"
  | "correlationId"
  | "body"
  | "createdAt"
  | "traceparent"
> & {
  readonly state: "PENDING" | "SKIPPED_DISABLED"
  /** False if the event is about an erased person. */
  readonly keepsAnswers?: boolean
}

/** Result of one attempt. */
export type AttemptResult =
  | {
      readonly _tag: "Answered"
      readonly status: number
      /** The receiver's `Retry-After`; null when absent. */
      readonly retryAfterMillis: number | null
      readonly excerpt: string
      readonly headers?: Exchange["responseHeaders"]
    }
  | { readonly _tag: "Unanswered"; readonly fault: AttemptFault }

/** Start and duration of an attempt. */
export interface AttemptTimes {
  readonly at: Instant
  readonly durationMillis: number
}

/** Whether the receiver accepted the delivery: any 2xx, but no redirect (DECISIONS.md#webhooks). */
export const isTaken = (result: AttemptResult): boolean =>
  result._tag === "Answered" && result.status >= 200 && result.status < 300

/** Whether the receiver answered 410, which disables the webhook. */
export const isGone = (result: AttemptResult): boolean => result._tag === "Answered" && result.status === 410

/** Whether the service itself caused the failure. Such an attempt does not count for the webhook's health. */
export const isOurs = (result: AttemptResult): boolean =>
  result._tag === "Unanswered" && result.fault === "INTERNAL_ERROR"

/** Why the latest attempt of a delivery failed: `HTTP_` and the status of the answer, or the fault. */
export const latestFailure = ({ attempts }: Pick<Delivery, "attempts">): string => {
  const latest = attempts.at(-1)
  return latest?.fault ?? `HTTP_${latest?.responseStatus}`
}

/** The event kind of a ping. */
export const testKind: EventKind = "webhook.test"

/** Whether a webhook receives deliveries of a kind. A disabled webhook still receives pings. */
export const takes = (webhook: Pick<WebhookFields, "status"> | undefined, kind: EventKind): boolean =>
  webhook !== undefined && (webhook.status === "ACTIVE" || kind === testKind)

/** Statuses for which `Retry-After` is honoured. */
const asksToWait: ReadonlyArray<number> = [429, 503]

/** The result of an attempt without the signatures that it sent, for what is kept of it. */
export const withoutSignatures = (result: AttemptResult, sent: Readonly<Record<string, string>>): AttemptResult =>
  result._tag === "Unanswered"
    ? result
    : {
        ...result,
        excerpt: concealed(result.excerpt, sent),
        headers: (result.headers ?? []).map(({ name, value }) => ({ name, value: concealed(value, sent) }))
      }

/** What an attempt of a delivery sent and got. `sent`: the headers; undefined if nothing was sent. */
export const exchangeOf = (
  { attemptCount }: Pick<Delivery, "attemptCount">,
  sent: Readonly<Record<string, string>> | undefined,
  result: AttemptResult
): Exchange => ({
  number: attemptCount + 1,
  requestHeaders: sentHeaders(sent ?? {}),
  responseHeaders: result._tag === "Answered" ? answeredHeaders(result.headers ?? []) : [],
  responseBody: result._tag === "Answered" ? storable(result.excerpt) : null
})

/** The delivery after one more attempt, which ended at `now`. `jitter` is from 0 to 1. */
export const afterAttempt = (
  delivery: Delivery,
  result: AttemptResult,
  { at, durationMillis }: AttemptTimes,
  retryDelaysMillis: ReadonlyArray<number>,
  now: Instant,
  jitter: number
): Delivery => {
  const attemptCount = delivery.attemptCount + 1
  const answered = result._tag === "Answered" ? result : undefined
  const attempt: Attempt = {
    number: attemptCount,
    at: toRfc3339(at),
    durationMillis,
    responseStatus: answered?.status ?? null,
    fault: result._tag === "Unanswered" ? result.fault : null
  }
  const attempted = {
    ...delivery,
    attemptCount,
    attempts: [...delivery.attempts, attempt].slice(-attemptsKept),
    lastResponse: answered === undefined ? null : storable(answered.excerpt)
  }
  if (isTaken(result)) return { ...attempted, state: "DELIVERED", dueAt: null, failures: 0, deliveredAt: now }
  const failures = delivery.failures + 1
  const asked = answered !== undefined && asksToWait.includes(answered.status) ? answered.retryAfterMillis : null
  const isFinal = isGone(result) || delivery.kind === testKind // a ping is not retried
  const dueAt = isFinal ? undefined : nextAttemptAt(retryDelaysMillis, failures, now, jitter, asked)
  return dueAt === undefined
    ? { ...attempted, failures, state: "EXHAUSTED", dueAt: null }
    : { ...attempted, failures, state: "FAILED_RETRYABLE", dueAt }
}

/** The delivery when its webhook is disabled. It is not attempted and can be redriven. */
export const skipped = (delivery: Delivery): Delivery => ({ ...delivery, state: "SKIPPED_DISABLED", dueAt: null })

/** A delivery as the API shows it. */
export const DeliveryDocument = Schema.Struct({
  id: DeliveryId,
  type: typeField("delivery"),
  webhookId: Schema.String.annotate({ description: "Id of the receiving webhook, `whk_…`." }),
  eventId: Schema.String.annotate({ description: "Id of the event, `evt_…`, the same for all webhooks." }),
  event: EventKind.annotate({ description: "Kind of the event." }),
  subjectId: Schema.NullOr(Schema.String).annotate({
    description:
      "Id of the record that the event is about, such as a credential. Null for deliveries from before this field."
  }),
  correlationId: Schema.NullOr(Schema.String).annotate({
    description:
      "Correlation id of the call that created the credential, started a verification or sent a ping. " +
      "Null for all other events."
  }),
  state: DeliveryState.annotateKey({
    description:
      "PENDING: waits for the first attempt, or the first after a redrive. FAILED_RETRYABLE: waits for a retry. " +
      "EXHAUSTED: no more attempts. SKIPPED_DISABLED: the webhook was disabled. A redrive sends these again."
  }),
  attemptCount: Schema.Int.annotate({ description: "Number of attempts so far, over all redrives." }),
  nextAttemptAt: timeOrNull("When the next attempt is due. Null if none is planned."),
  attempts: Schema.Array(Attempt).annotate({ description: `The latest ${attemptsKept} attempts, oldest first.` }),
  lastResponse: Schema.NullOr(Schema.String).annotate({
    description: "The start of the last response body; null when there was no response."
  }),
  createdAt,
  deliveredAt: timeOrNull(
    "When the receiver answered with a 2xx status. Null if it has not, or not since the last redrive."
  )
})
export type DeliveryDocument = typeof DeliveryDocument.Type

export const documentOf = (delivery: Delivery): DeliveryDocument => ({
  id: delivery.id,
  type: "delivery",
  webhookId: delivery.webhookId,
  eventId: delivery.eventId,
  event: delivery.kind,
  subjectId: delivery.subjectId,
  correlationId: delivery.correlationId,
  state: delivery.state,
  attemptCount: delivery.attemptCount,
  nextAttemptAt: toRfc3339OrNull(delivery.dueAt),
  attempts: delivery.attempts,
  lastResponse: delivery.lastResponse,
  createdAt: toRfc3339(delivery.createdAt),
  deliveredAt: toRfc3339OrNull(delivery.deliveredAt)
})

/** A delivery with its body and exchanges. */
export const DeliveryWithBody = Schema.Struct({
  ...DeliveryDocument.fields,
  exchanges: Schema.Array(Exchange).annotate({
    description:
      `What the latest ${exchangesKept} attempts sent and got, oldest first. Attempts from before this field have none, nor ` +
      "have deliveries about an erased person."
  }),
  body: Schema.String.annotate({ description: "The exact body of each attempt: a JSON text." })
})
export type DeliveryWithBody = typeof DeliveryWithBody.Type

export const withBody = (delivery: Delivery, exchanges: ReadonlyArray<Exchange>): DeliveryWithBody => ({
  ...documentOf(delivery),
  exchanges,
  body: delivery.body
})

/** The fields that lists of deliveries filter by. */
export type DeliveryField = "eventId" | "correlationId" | "subjectId" | "state" | "event"

/** The deliveries of one webhook or of a tenant, in order of creation. */
export const deliveries: Timeline<DeliveryField> = {
  type: "webhook",
  filters: {
    eventId: undefined,
    correlationId: undefined,
    subjectId: undefined,
    state: deliveryStates,
    event: eventKinds
  },
  timed: true,
  ends: false
}
