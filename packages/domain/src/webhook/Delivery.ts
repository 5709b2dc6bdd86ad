import { Schema } from "effect"
import type { Series } from "../resource/Series.ts"
import { type Instant, toRfc3339, toRfc3339OrNull } from "../shared/Instant.ts"
import { nextAttemptAt } from "./DeliverySchedule.ts"
import { EventKind } from "./EventKind.ts"
import type { WebhookFields } from "./Webhook.ts"

/** The states of a delivery (DECISIONS.md#webhooks). */
export const deliveryStates = ["PENDING", "DELIVERED", "FAILED_RETRYABLE", "EXHAUSTED", "SKIPPED_DISABLED"] as const
export const DeliveryState = Schema.Literals(deliveryStates).annotate({ identifier: "DeliveryState" })
export type DeliveryState = typeof DeliveryState.Type

/** Why an attempt brought no answer. */
export const attemptFaults = [
  /** The name of the host leads nowhere. */
  "NAME_NOT_FOUND",
  /** The host is, or leads to, an address that deliveries are kept from. */
  "ADDRESS_REFUSED",
  "CONNECTION_FAILED",
  "TLS_FAILED",
  "TIMEOUT",
  /** What came was no HTTP, or ended before it was whole. */
  "INVALID_RESPONSE",
  /** It could not be made or signed, by a fault of the service's own: the receiver was not asked. */
  "INTERNAL_ERROR"
] as const
export type AttemptFault = (typeof attemptFaults)[number]

/** One attempt to deliver. */
export const Attempt = Schema.Struct({
  /** From 1, over all rounds. */
  number: Schema.Int,
  at: Schema.String.annotate({ format: "date-time" }),
  durationMillis: Schema.Int,
  /** Null where no answer came. */
  responseStatus: Schema.NullOr(Schema.Int),
  fault: Schema.NullOr(Schema.Literals(attemptFaults))
}).annotate({ identifier: "DeliveryAttempt" })
export type Attempt = typeof Attempt.Type

/** How many attempts of a delivery are kept, the latest. */
const attemptsKept = 20

/** A delivery: one event for one webhook, under one id however often it is attempted. */
export interface Delivery {
  readonly id: string
  readonly tenantId: string
  readonly webhookId: string
  readonly eventId: string
  readonly kind: EventKind
  readonly correlationId: string | null
  readonly state: DeliveryState
  /** What is sent, to the byte: made once. */
  readonly body: string
  /** How often it was attempted. */
  readonly attemptCount: number
  /** How often it has failed since it was begun or redriven. */
  readonly failures: number
  /** The latest, in their order. */
  readonly attempts: ReadonlyArray<Attempt>
  /** The beginning of the last answer's body; null where none came. */
  readonly lastResponse: string | null
  /** When it is attempted next; null where it is over. */
  readonly dueAt: Instant | null
  readonly createdAt: Instant
  readonly deliveredAt: Instant | null
}

/** What a delivery begins as. */
export type DeliveryDraft = Pick<
  Delivery,
  "id" | "tenantId" | "webhookId" | "eventId" | "kind" | "correlationId" | "body" | "createdAt"
> & {
  readonly state: "PENDING" | "SKIPPED_DISABLED"
}

/** What an attempt has come to. */
export type AttemptResult =
  | {
      readonly _tag: "Answered"
      readonly status: number
      /** What the receiver asked for with `Retry-After`; null where it asked for nothing. */
      readonly retryAfterMillis: number | null
      readonly excerpt: string
    }
  | { readonly _tag: "Unanswered"; readonly fault: AttemptFault }

/** When the attempt began, and how long it took. */
export interface AttemptTimes {
  readonly at: Instant
  readonly durationMillis: number
}

/** Whether the receiver has taken it: any 2xx, and no redirect (DECISIONS.md#webhooks). */
export const isTaken = (result: AttemptResult): boolean =>
  result._tag === "Answered" && result.status >= 200 && result.status < 300

/** Whether the receiver says that it is gone for good: the webhook is disabled. */
export const isGone = (result: AttemptResult): boolean => result._tag === "Answered" && result.status === 410

/** Whether an attempt was not made by a fault of the service's own: it says nothing of the receiver. */
export const isOurs = (result: AttemptResult): boolean =>
  result._tag === "Unanswered" && result.fault === "INTERNAL_ERROR"

/** The kind of event with which a webhook is tried out. */
export const testKind: EventKind = "webhook.test"

/** Whether a webhook takes deliveries of a kind: a disabled one can still be tried out. */
export const takes = (webhook: Pick<WebhookFields, "status"> | undefined, kind: EventKind): boolean =>
  webhook !== undefined && (webhook.status === "ACTIVE" || kind === testKind)

/** Statuses at which `Retry-After` is heeded. */
const asksToWait: ReadonlyArray<number> = [429, 503]

/** Text as every store can keep it: a receiver may answer with a NUL, and an excerpt may end within a character. */
const storable = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd")

/** The delivery after one attempt more, whose end was `now`. `jitter` is from 0 to 1. */
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
  const isFinal = isGone(result) || delivery.kind === testKind // whoever tries it out is there to try again
  const dueAt = isFinal ? undefined : nextAttemptAt(retryDelaysMillis, failures, now, jitter, asked)
  return dueAt === undefined
    ? { ...attempted, failures, state: "EXHAUSTED", dueAt: null }
    : { ...attempted, failures, state: "FAILED_RETRYABLE", dueAt }
}

/** The delivery that is not attempted since its webhook takes none; it can be redriven. */
export const skipped = (delivery: Delivery): Delivery => ({ ...delivery, state: "SKIPPED_DISABLED", dueAt: null })

/** A delivery as the log of a webhook shows it. */
export const DeliveryDocument = Schema.Struct({
  id: Schema.String,
  type: Schema.Literal("delivery"),
  webhookId: Schema.String,
  eventId: Schema.String,
  event: EventKind,
  correlationId: Schema.NullOr(Schema.String),
  state: DeliveryState,
  attemptCount: Schema.Int,
  nextAttemptAt: Schema.NullOr(Schema.String.annotate({ format: "date-time" })),
  attempts: Schema.Array(Attempt).annotate({ description: `The latest ${attemptsKept} attempts, oldest first.` }),
  lastResponse: Schema.NullOr(Schema.String).annotate({
    description: "Beginning of the last response body of the receiver. Null without a response."
  }),
  createdAt: Schema.String.annotate({ format: "date-time" }),
  deliveredAt: Schema.NullOr(Schema.String.annotate({ format: "date-time" }))
})
export type DeliveryDocument = typeof DeliveryDocument.Type

export const documentOf = (delivery: Delivery): DeliveryDocument => ({
  id: delivery.id,
  type: "delivery",
  webhookId: delivery.webhookId,
  eventId: delivery.eventId,
  event: delivery.kind,
  correlationId: delivery.correlationId,
  state: delivery.state,
  attemptCount: delivery.attemptCount,
  nextAttemptAt: toRfc3339OrNull(delivery.dueAt),
  attempts: delivery.attempts,
  lastResponse: delivery.lastResponse,
  createdAt: toRfc3339(delivery.createdAt),
  deliveredAt: toRfc3339OrNull(delivery.deliveredAt)
})

/** A delivery with the bytes that are sent. */
export const DeliveryWithBody = Schema.Struct({
  ...DeliveryDocument.fields,
  body: Schema.String.annotate({ description: "The exact body of each attempt: a JSON text." })
})
export type DeliveryWithBody = typeof DeliveryWithBody.Type

export const withBody = (delivery: Delivery): DeliveryWithBody => ({ ...documentOf(delivery), body: delivery.body })

/** The deliveries of one webhook, in the order in which they were begun. */
export const deliveries: Series<"state"> = { type: "webhook", filters: { state: deliveryStates }, ends: false }
