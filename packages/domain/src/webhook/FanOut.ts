import type { Instant } from "../shared/Instant.ts"
import { type DeliveryDraft, testKind } from "./Delivery.ts"
import type { EventSubject } from "./EventDraft.ts"
import { payloadOf } from "./EventPayload.ts"
import type { StoredEvent } from "./EventStore.ts"
import type { WebhookFields } from "./Webhook.ts"

/** A webhook that subscribes to the kind of an event, and is not deleted. */
export interface Subscriber {
  readonly webhookId: string
  readonly createdAt: Instant
  readonly fields: WebhookFields
}

const admits = (among: ReadonlyArray<string> | undefined, value: string | null): boolean =>
  among === undefined || among.length === 0 || value === null || among.includes(value)

/** Whether a webhook's filters let an event through; what is about nothing that they speak of passes. */
export const concerns = ({ filters }: Pick<WebhookFields, "filters">, about: EventSubject): boolean =>
  admits(filters?.credentialTypes, about.credentialType) && admits(filters?.jurisdictions, about.jurisdiction)

/** An event as it waits to be sent. */
export interface WaitingEvent extends StoredEvent {
  readonly tenantId: string
  /** Whether it was taken before, and some of those whom it concerns may have their deliveries. */
  readonly wasSetAside: boolean
}

/** An event that was not sent to everybody whom it concerns: it, or one of them, could not be read or decided on. */
export interface SetAside {
  readonly tenantId: string
  readonly eventId: string
  /** When it is taken again. */
  readonly until: Instant
  readonly fault: unknown
}

/** The same as its operator sees it, whether it can be read or not. */
export interface EventAside extends Pick<SetAside, "tenantId" | "eventId" | "until"> {
  readonly kind: string
  /** When it happened. */
  readonly at: Instant
}

/** How many events are taken next: twice as many as were sent, up to the most, and half of those that could not be. */
export const nextPortion = (taken: number, most: number, wereSent: boolean): number =>
  wereSent ? Math.min(most, 2 * taken) : Math.ceil(taken / 2)

const minuteMillis = 60_000
const dayMillis = 24 * 60 * minuteMillis

/** What a day has not mended waits for a person: it is tried no more than once a day. */
const longestAsideMillis = (age: number): number => (age < dayMillis ? dayMillis / 4 : dayMillis)

/** Until when an event is set aside that is so for good: nothing takes it but an operator. */
export const forGood: Instant = Number.MAX_SAFE_INTEGER

/**
 * Until when an event from a moment is set aside: for as long again as it has waited, from a minute to six hours, and
 * for a day once it has waited for one. Whose deliveries would be forgotten by then is so for good: to those who had one
 * it would be sent a second time.
 */
export const asideUntil = (at: Instant, now: Instant, retentionMillis: number): Instant => {
  const age = now - at
  const until = now + Math.min(Math.max(age, minuteMillis), longestAsideMillis(age))
  return until - at < retentionMillis ? until : forGood
}

/**
 * Whether an event that was set aside is taken too late, by a worker that was away until now: its deliveries may be
 * forgotten by now, and to those who had one it would be sent a second time.
 */
export const isOutlived = (
  { at, wasSetAside }: Pick<WaitingEvent, "at" | "wasSetAside">,
  now: Instant,
  retentionMillis: number
): boolean => wasSetAside && now - at >= retentionMillis

/** From before which moment events that are set aside for good are forgotten: one retention after their deliveries. */
export const forGoodBefore = (now: Instant, retentionMillis: number): Instant => now - 2 * retentionMillis

/** Whether a webhook was there when an event happened: one that is taken again may find others. */
const wasThere = ({ createdAt }: Subscriber, { at, wasSetAside }: WaitingEvent): boolean =>
  !wasSetAside || createdAt <= at

/**
 * The deliveries of an event: one to each subscriber whose filters let it through; when it is taken again, to those who
 * were there when it happened. Those of a disabled webhook are written too, and skipped: what happens meanwhile can be
 * redriven.
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
        kind: event.kind,
        correlationId: event.correlationId,
        body: payloadOf(event, id),
        state: fields.status === "ACTIVE" ? "PENDING" : "SKIPPED_DISABLED",
        createdAt: now
      }
    })

/** The delivery with which somebody tries out a webhook: of an event of its own, whether it subscribes or not. */
export const testDelivery = (
  webhook: { readonly tenantId: string; readonly webhookId: string },
  ids: { readonly deliveryId: string; readonly eventId: string; readonly correlationId: string },
  now: Instant
): DeliveryDraft => {
  const { correlationId, deliveryId, eventId } = ids
  const data = { webhook: { id: webhook.webhookId, type: "webhook" } }
  const event = { id: eventId, kind: testKind, correlationId, sequence: 1, data, at: now }
  const body = payloadOf(event, deliveryId)
  return { id: deliveryId, ...webhook, eventId, kind: testKind, correlationId, body, state: "PENDING", createdAt: now }
}
