import type { StoredEvent } from "../audit/EventStore.ts"
import type { EventSubject } from "../event/EventDraft.ts"
import type { Instant } from "../shared/Instant.ts"
import { type DeliveryDraft, testKind } from "./Delivery.ts"
import { payloadOf } from "./EventPayload.ts"
import type { WebhookFields } from "./Webhook.ts"

/** A webhook that subscribes to the kind of an event. Deleted webhooks do not. */
export interface Subscriber {
  readonly webhookId: string
  readonly createdAt: Instant
  readonly fields: WebhookFields
}

const admits = (among: ReadonlyArray<string> | undefined, value: string | null): boolean =>
  among === undefined || among.length === 0 || value === null || among.includes(value)

/** Whether a webhook's filters match an event. A null value passes every filter. */
export const concerns = ({ filters }: Pick<WebhookFields, "filters">, about: EventSubject): boolean =>
  admits(filters?.credentialTypes, about.credentialType) && admits(filters?.jurisdictions, about.jurisdiction)

/** An event that is not sent yet. */
export interface WaitingEvent extends StoredEvent {
  readonly tenantId: string
  /** Whether the event was a dead letter. Some subscribers may already have their deliveries. */
  readonly isRetry: boolean
  /** The trace of the change that caused the event; null if the change was not traced. */
  readonly traceparent: string | null
}

/** An event that could not be sent to every subscriber, because it or a subscriber could not be processed. */
export interface FailedEvent {
  readonly tenantId: string
  readonly eventId: string
  /** When it is retried; null if never. */
  readonly until: Instant | null
  readonly fault: unknown
}

/** A dead letter as operators see it, even when its event cannot be read. */
export interface DeadLetter extends Pick<FailedEvent, "tenantId" | "eventId" | "until"> {
  readonly kind: string
  /** When the event happened. */
  readonly at: Instant
}

/** The next batch size: doubled after a success, up to `most`; halved after a failure. */
export const nextPortion = (taken: number, most: number, wereSent: boolean): number =>
  wereSent ? Math.min(most, 2 * taken) : Math.ceil(taken / 2)

const minuteMillis = 60_000
const dayMillis = 24 * 60 * minuteMillis

/** After a day of failures an event probably needs an operator, so it is retried only once a day. */
const longestRetryMillis = (age: number): number => (age < dayMillis ? dayMillis / 4 : dayMillis)

/**
 * When to retry an event that failed: after a delay as long as its age, from a minute to six hours; after a day, once a
 * day. Null when its deliveries would be deleted by then, because subscribers could receive the event twice.
 */
export const retryAt = (at: Instant, now: Instant, retentionMillis: number): Instant | null => {
  const age = now - at
  const until = now + Math.min(Math.max(age, minuteMillis), longestRetryMillis(age))
  return until - at < retentionMillis ? until : null
}

/** Whether a retry comes after the retention of deliveries. Subscribers could receive the event twice. */
export const isRetryTooLate = (
  { at, isRetry }: Pick<WaitingEvent, "at" | "isRetry">,
  now: Instant,
  retentionMillis: number
): boolean => isRetry && now - at >= retentionMillis

/** Dead letters that are never retried are deleted when older than this: one retention after their deliveries. */
export const deadBefore = (now: Instant, retentionMillis: number): Instant => now - 2 * retentionMillis

/** Whether the webhook existed when the event happened. Only checked on a retry. */
const wasThere = ({ createdAt }: Subscriber, { at, isRetry }: WaitingEvent): boolean => !isRetry || createdAt <= at

/**
 * One delivery to each subscriber whose filters match; on a retry, only to webhooks that existed when the event
 * happened. Deliveries to a disabled webhook are stored as skipped, so that they can be redriven.
 */
export const fanOut = (
  event: WaitingEvent,
  subscribers: ReadonlyArray<Subscriber>,
  mint: () => string,
  now: Instant
): ReadonlyArray<DeliveryDraft> =>
  subscribers
    .filter((subscriber) => wasThere(subscriber, event) && concerns(subscriber.fields, event.about))
    .map(({ fields, webhookId }) => {
      const id = mint()
      return {
        id,
        tenantId: event.tenantId,
        webhookId,
        eventId: event.id,
        subjectId: event.subjectId,
        kind: event.kind,
        correlationId: event.correlationId,
        body: payloadOf(event, id),
        state: fields.status === "ACTIVE" ? "PENDING" : "SKIPPED_DISABLED",
        createdAt: now,
        traceparent: event.traceparent
      }
    })

/** The delivery of a ping. It has its own event and needs no subscription. */
export const testDelivery = (
  webhook: { readonly tenantId: string; readonly webhookId: string },
  ids: { readonly deliveryId: string; readonly eventId: string; readonly correlationId: string },
  now: Instant
): DeliveryDraft => {
  const { correlationId, deliveryId, eventId } = ids
  const data = { webhook: { id: webhook.webhookId, type: "webhook" } }
  const event = { id: eventId, kind: testKind, correlationId, sequence: 1, data, at: now }
  const body = payloadOf(event, deliveryId)
  const delivery = { id: deliveryId, ...webhook, eventId, kind: testKind, correlationId, body, createdAt: now }
  return { ...delivery, subjectId: webhook.webhookId, state: "PENDING", traceparent: null }
}
