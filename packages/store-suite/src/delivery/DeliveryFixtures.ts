import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import type { EventDraft } from "@wcs/domain/event/EventDraft"
import * as WebhookHealth from "@wcs/domain/event/WebhookHealth"
import { Credential } from "@wcs/domain/holding/Credential"
import { partitionCount } from "@wcs/domain/lease/Partition"
import type { Instant } from "@wcs/domain/shared/Instant"
import {
  afterAttempt,
  type Delivery,
  type DeliveryDraft,
  type DeliveryState,
  exchangeOf,
  latestFailure
} from "@wcs/domain/webhook/Delivery"
import { DeliveryStore, type KnownQueue, type Settlement, type WebhookKey } from "@wcs/domain/webhook/DeliveryStore"
import { fanOut } from "@wcs/domain/webhook/FanOut"
import { Webhook, type WebhookFields } from "@wcs/domain/webhook/Webhook"
import { Effect, Result } from "effect"
import {
  auditEntry,
  created,
  credentialFields,
  eventDraft,
  freshTenant,
  mint,
  put,
  start,
  webhookFields
} from "../Fixtures.ts"

/** A webhook of a tenant, with the subscriptions of its fields. */
export const putWebhook = Effect.fnUntraced(function* (
  tenantId: string = freshTenant(),
  overrides: Partial<WebhookFields> = {}
) {
  const store = yield* ResourceStore
  const webhookId = mint("webhook")
  const fields = { ...webhookFields, ...overrides }
  yield* store.change(Webhook, tenantId, webhookId, [], () =>
    Result.succeed({
      _tag: "Changed",
      next: created(webhookId, fields),
      records: noRecords,
      subscribesTo: fields.events
    })
  )
  return { tenantId, webhookId, fields }
})

export const draft = ({ tenantId, webhookId }: WebhookKey, overrides: Partial<DeliveryDraft> = {}): DeliveryDraft => ({
  id: mint("delivery"),
  tenantId,
  webhookId,
  eventId: mint("event"),
  subjectId: mint("credential"),
  kind: "credential.created",
  correlationId: null,
  body: '{"type":"credential.created"}',
  state: "PENDING",
  createdAt: start,
  traceparent: null,
  ...overrides
})

/** The audit entry of a ping. */
export const pinged = ({ createdAt, webhookId }: DeliveryDraft) =>
  auditEntry(webhookId, { action: "ping", entityType: "webhook", at: createdAt })

/** Creates deliveries, each a millisecond after the previous one. */
export const begin = Effect.fnUntraced(function* (webhook: WebhookKey, count = 1, from: Instant = start) {
  const store = yield* DeliveryStore
  return yield* Effect.forEach(Array.from({ length: count }), (_, index) => {
    const one = draft(webhook, { createdAt: from + index })
    return Effect.as(store.begin(one, pinged(one)), one)
  })
})

/** Parameters of a fan-out. Dead letters are retried after all times in the tests. */
export const fanOutOf = (limit: number, now: Instant = start) => ({
  now,
  limit,
  retryAt: (): Instant => start + 1_000_000_000
})

/** Creates many deliveries at once, as deliveries of one event. */
export const beginAll = Effect.fnUntraced(function* (drafts: ReadonlyArray<DeliveryDraft>) {
  const store = yield* DeliveryStore
  const { tenantId } = yield* putWebhook()
  const row = created(mint("credential"), credentialFields({ worker: mint("worker") }))
  yield* put(Credential, tenantId, row, { ...noRecords, events: [eventDraft(row.id, "credential.created")] })
  yield* store.fanOut(fanOutOf(1), () => drafts)
})

export const idsOf = (deliveries: ReadonlyArray<Pick<Delivery, "id">>): ReadonlyArray<string> =>
  deliveries.map(({ id }) => id)

export const allPartitions: ReadonlyArray<number> = Array.from({ length: partitionCount }, (_, index) => index)

/** The queues of a worker that knows these deliveries, with room for `perWebhook` of each webhook in all. */
export const queuesOf = (known: ReadonlyArray<Delivery>, perWebhook: number): ReadonlyArray<KnownQueue> =>
  [...Map.groupBy(known, ({ webhookId }) => webhookId)].map(([webhookId, own]) => ({
    tenantId: own[0]?.tenantId ?? "",
    webhookId,
    known: new Set(idsOf(own)),
    room: Math.max(0, perWebhook - own.length)
  }))

/** Reads due deliveries, by default as a worker that leases all partitions and knows nothing. */
export const readDue = Effect.fnUntraced(function* (
  now: Instant,
  { known = [] as ReadonlyArray<Delivery>, limit = 100, partitions = allPartitions, perWebhook = 8 } = {}
) {
  const store = yield* DeliveryStore
  return yield* store.readDue({ now, partitions, queues: queuesOf(known, perWebhook), limit, perWebhook })
})

const noRetry: ReadonlyArray<number> = []

/** The settlement of a delivery that was answered with a status. */
export const answered = (
  before: Delivery,
  status: number,
  now: Instant,
  retryDelaysMillis: ReadonlyArray<number> = noRetry,
  excerpt = `status ${status}`
): Settlement => {
  const result = { _tag: "Answered", status, retryAfterMillis: null, excerpt } as const
  const after = afterAttempt(before, result, { at: now, durationMillis: 3 }, retryDelaysMillis, now, 0)
  const headers = [{ name: "x-told", value: excerpt }]
  const exchange = exchangeOf(before, { "webhook-signature": "v1,c2lnbmF0dXJl" }, { ...result, headers })
  return { before, delivery: after, exchange, succeeded: status < 300 }
}

export const assessAt =
  (now: Instant) => (health: WebhookHealth.WebhookHealth, succeeded: boolean, delivery: Delivery) =>
    WebhookHealth.afterAttempt(health, succeeded ? null : latestFailure(delivery), now)

export const settle = Effect.fnUntraced(function* (settlements: ReadonlyArray<Settlement>, now: Instant = start) {
  const store = yield* DeliveryStore
  return yield* store.settle(settlements, now, assessAt(now))
})

/** All deliveries of a webhook, oldest first. */
export const listed = Effect.fnUntraced(function* ({ tenantId, webhookId }: WebhookKey) {
  const store = yield* DeliveryStore
  const page = yield* store.list(tenantId, webhookId, {
    conditions: [],
    direction: "asc",
    pageSize: 20_000,
    after: undefined,
    includeDeleted: false,
    includeTotal: false
  })
  return page.items.map(({ position: _, ...delivery }): Delivery => delivery)
})

/** The maximum number of rounds in which a store must run out of work. */
const roundsMax = 1000

/** Repeats an effect until it returns 0. Dies when it never does, because an earlier test damaged the store. */
const exhaust = Effect.fnUntraced(function* <R>(takeSome: Effect.Effect<number, never, R>) {
  for (let round = 0; round < roundsMax; round++) if ((yield* takeSome) === 0) return
  return yield* Effect.die(new Error("something stays due after every round"))
})

/** Finishes all work that other tests left, because reads and fan-outs concern all tenants. */
export const nothingDue = Effect.gen(function* () {
  const store = yield* DeliveryStore
  yield* exhaust(
    Effect.map(
      store.fanOut(fanOutOf(10_000, Number.MAX_SAFE_INTEGER), () => []),
      ({ taken }) => taken
    )
  )
  yield* exhaust(
    Effect.gen(function* () {
      const { deliveries } = yield* readDue(Number.MAX_SAFE_INTEGER, { limit: 50_000, perWebhook: 50_000 })
      yield* settle(
        deliveries.map((before) => ({
          before,
          delivery: { ...before, state: "EXHAUSTED", dueAt: null },
          succeeded: null
        }))
      )
      return deliveries.length
    })
  )
})

/** Creates an event about a credential of a tenant. */
export const happen = Effect.fnUntraced(function* (tenantId: string, overrides: Partial<EventDraft> = {}) {
  const row = created(mint("credential"), credentialFields({ worker: mint("worker") }))
  const event = eventDraft(row.id, "credential.created", overrides)
  yield* put(Credential, tenantId, row, { audit: [], events: [event] })
  return event
})

/** Fans pending events out. */
export const send = Effect.fnUntraced(function* (limit = 100, at = start) {
  const store = yield* DeliveryStore
  const { taken } = yield* store.fanOut(fanOutOf(limit), (event, subscribers) =>
    fanOut(event, subscribers, () => mint("delivery"), at)
  )
  return taken
})

export const settledAs = Effect.fnUntraced(function* (webhook: WebhookKey, state: DeliveryState, createdAt = start) {
  const store = yield* DeliveryStore
  const one = draft(webhook, { createdAt })
  yield* store.begin(one, pinged(one))
  if (state === "PENDING") return one.id
  const { deliveries } = yield* readDue(createdAt)
  yield* settle(
    deliveries.map((before) => {
      if (state === "SKIPPED_DISABLED") {
        return { before, delivery: { ...before, state, dueAt: null }, succeeded: null }
      }
      return answered(before, state === "DELIVERED" ? 204 : 500, start, state === "FAILED_RETRYABLE" ? [3_600_000] : [])
    })
  )
  return one.id
})
