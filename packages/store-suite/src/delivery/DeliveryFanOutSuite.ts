import { assert, describe } from "@effect/vitest"
import type { Delivery } from "@wcs/domain/webhook/Delivery"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { fanOut, type Subscriber, type WaitingEvent } from "@wcs/domain/webhook/FanOut"
import { Webhook } from "@wcs/domain/webhook/Webhook"
import { Effect } from "effect"
import { auditEntry, auditLog, freshTenant, mint, remove, start, type TenantTest } from "../Fixtures.ts"
import {
  answered,
  begin,
  beginAll,
  draft,
  fanOutOf,
  happen,
  idsOf,
  listed,
  pinged,
  putWebhook,
  readDue,
  send,
  settle
} from "./DeliveryFixtures.ts"

const fanOutTests = (it: TenantTest): void => {
  it("takes pending events, oldest first, with the existing webhooks that subscribe to their kind", function* () {
    const store = yield* DeliveryStore
    const one = yield* putWebhook()
    const two = yield* putWebhook(one.tenantId, { status: "DISABLED", name: "second" })
    yield* putWebhook(one.tenantId, { events: ["credential.updated"] })
    const gone = yield* putWebhook(one.tenantId)
    const other = yield* putWebhook()
    const about = { credentialType: "WWCC_NSW", jurisdiction: null }
    const data = { credential: { id: "ä\u{1F600}" } }
    const first = yield* happen(one.tenantId, { correlationId: "run:1", about, data })
    const foreign = yield* happen(other.tenantId, { at: start - 9, sequence: 7 })
    const last = yield* happen(one.tenantId)
    yield* remove(Webhook, gone.tenantId, gone.webhookId)
    const seen: Array<readonly [WaitingEvent, ReadonlyArray<unknown>]> = []
    const note = (event: WaitingEvent, subscribers: ReadonlyArray<{ readonly webhookId: string }>) => {
      seen.push([event, subscribers.toSorted((a, b) => (a.webhookId < b.webhookId ? -1 : 1))])
      return []
    }
    assert.deepStrictEqual(yield* store.fanOut(fanOutOf(2), note), { taken: 2, deadLettered: [] })
    assert.deepStrictEqual(yield* store.fanOut(fanOutOf(2), note), { taken: 1, deadLettered: [] })
    assert.deepStrictEqual(yield* store.fanOut(fanOutOf(2), note), { taken: 0, deadLettered: [] })
    const subscribers = [one, two].map(({ fields, webhookId }) => ({ webhookId, createdAt: start, fields }))
    assert.deepStrictEqual(seen, [
      [{ ...first, sequence: 1, tenantId: one.tenantId, isRetry: false, traceparent: null }, subscribers],
      [
        { ...foreign, sequence: 7, tenantId: other.tenantId, isRetry: false, traceparent: null },
        [{ webhookId: other.webhookId, createdAt: start, fields: other.fields }]
      ],
      [{ ...last, sequence: 1, tenantId: one.tenantId, isRetry: false, traceparent: null }, subscribers]
    ])
  })

  it("writes a delivery per subscriber, due now, or skipped for a disabled webhook", function* () {
    const one = yield* putWebhook()
    const two = yield* putWebhook(one.tenantId, { status: "AUTO_DISABLED" })
    const event = yield* happen(one.tenantId, { correlationId: "run:1" })
    yield* send()
    const [delivery] = yield* listed(one)
    const { id, kind, correlationId, at, subjectId } = event
    assert.deepStrictEqual(delivery, {
      id: delivery?.id,
      tenantId: one.tenantId,
      webhookId: one.webhookId,
      eventId: id,
      subjectId,
      kind,
      correlationId,
      state: "PENDING",
      body: delivery?.body,
      attemptCount: 0,
      failures: 0,
      attempts: [],
      lastResponse: null,
      traceparent: null,
      dueAt: at,
      createdAt: at,
      deliveredAt: null
    } as Delivery)
    assert.strictEqual(JSON.parse(delivery?.body ?? "").eventId, id)
    const skipped = (yield* listed(two)).map(({ dueAt, state }) => ({ dueAt, state }))
    assert.deepStrictEqual(skipped, [{ dueAt: null, state: "SKIPPED_DISABLED" }])
    assert.deepStrictEqual(idsOf((yield* readDue(start)).deliveries), delivery === undefined ? [] : [delivery.id])
  })

  it("sends an event to a webhook once with concurrent callers", function* () {
    const webhook = yield* putWebhook()
    const events = yield* Effect.forEach(Array.from({ length: 10 }), () => happen(webhook.tenantId))
    const taken = yield* Effect.all(
      Array.from({ length: 5 }, () => send(3)),
      { concurrency: "unbounded" }
    )
    const rest = yield* send()
    assert.strictEqual(
      taken.reduce((sum, count) => sum + count, rest),
      events.length
    )
    assert.sameMembers(
      (yield* listed(webhook)).map(({ eventId }) => eventId),
      events.map(({ id }) => id)
    )
  })

  it("leaves a webhook that already has the event behind the due ones", function* () {
    const webhook = yield* putWebhook()
    const drafts = [draft(webhook)]
    yield* beginAll(drafts)
    const { deliveries } = yield* readDue(start)
    yield* settle(deliveries.map((one) => answered(one, 200, start)))
    yield* beginAll(drafts.map((one) => ({ ...one, id: mint("delivery") })))
    const [waiting] = yield* begin(yield* putWebhook(), 1, start + 1)
    assert.deepStrictEqual(idsOf((yield* readDue(start + 1, { limit: 1 })).deliveries), [waiting?.id ?? ""])
  })

  it("makes an event whose decision throws a dead letter, sends the others, and retries it when due", function* () {
    const store = yield* DeliveryStore
    const webhook = yield* putWebhook()
    const events = yield* Effect.forEach([1, 2, 3], () => happen(webhook.tenantId))
    const [, broken = events[0]] = events
    const request = { now: start, limit: 10, retryAt: (at: number) => at + 500 }
    const decide = (event: WaitingEvent, subscribers: ReadonlyArray<Subscriber>) => {
      if (event.id === broken?.id) throw new Error("broken")
      return fanOut(event, subscribers, () => mint("delivery"), start)
    }
    assert.deepStrictEqual(yield* store.fanOut(request, decide), {
      taken: 3,
      deadLettered: [
        { tenantId: webhook.tenantId, eventId: broken?.id ?? "", until: start + 500, fault: new Error("broken") }
      ]
    })
    assert.lengthOf(yield* listed(webhook), 2)
    assert.strictEqual(yield* send(100, start), 0)
    const fresh = yield* happen(webhook.tenantId)
    yield* store.forget({ before: start + 1_000_000, deadBefore: start + 1_000_000, limit: 100 })
    const seen: Array<readonly [string, boolean]> = []
    const { taken } = yield* store.fanOut({ ...request, now: start + 500 }, ({ id, isRetry }) => {
      seen.push([id, isRetry])
      return []
    })
    assert.strictEqual(taken, 2)
    assert.deepStrictEqual(seen, [
      [fresh.id, false],
      [broken?.id ?? "", true]
    ])
  })

  it("makes an event a dead letter by its id, unless it is sent", function* () {
    const store = yield* DeliveryStore
    const webhook = yield* putWebhook()
    const [sent, failed] = [yield* happen(webhook.tenantId), yield* happen(webhook.tenantId)]
    assert.strictEqual(yield* send(1), 1)
    for (const { id } of [sent, failed]) yield* store.deadLetter(webhook.tenantId, id, start + 1)
    yield* store.deadLetter(freshTenant(), failed.id, start + 2)
    assert.strictEqual(yield* send(), 0)
    assert.strictEqual((yield* store.fanOut(fanOutOf(9, start + 1), () => [])).taken, 1)
  })

  it("keeps the existing delivery of an event and a webhook", function* () {
    const store = yield* DeliveryStore
    const webhook = yield* putWebhook()
    const one = draft(webhook)
    yield* store.begin(one, pinged(one))
    yield* store.begin({ ...one, id: mint("delivery"), body: "another" }, pinged(one))
    assert.deepStrictEqual(
      (yield* listed(webhook)).map(({ body, id }) => ({ body, id })),
      [{ body: one.body, id: one.id }]
    )
  })
}

/**
 * Creates five events of a tenant: one sent, one pending, two dead letters to retry and one that is never retried.
 * Returns the dead letters, youngest first.
 */
const threeDeadLetters = Effect.gen(function* () {
  const store = yield* DeliveryStore
  const { tenantId } = yield* putWebhook()
  yield* happen(tenantId)
  assert.strictEqual(yield* send(), 1)
  const given = yield* happen(tenantId, { at: start - 1 })
  const later = yield* happen(tenantId, { at: start - 2 })
  const first = yield* happen(tenantId, { at: start - 3 })
  yield* happen(tenantId, { at: start - 4 })
  yield* store.deadLetter(tenantId, given.id, null)
  for (const { id } of [later, first]) yield* store.deadLetter(tenantId, id, start + 9)
  return { tenantId, given, later, first }
})

/** The ids of the tenant's retries in the audit log. */
const retries = Effect.fnUntraced(function* (tenantId: string) {
  return (yield* auditLog(tenantId)).filter(({ action }) => action === "retry").map(({ entityId }) => entityId)
})

const retry = (id: string) => auditEntry(id, { action: "retry", entityType: "event", at: start })

const deadLetterTests = (it: TenantTest): void => {
  it("lists dead letters, oldest first, of one tenant or of all, up to the limit", function* () {
    const store = yield* DeliveryStore
    const { first, given, later, tenantId } = yield* threeDeadLetters
    const other = yield* happen(freshTenant(), { at: start - 9 })
    const deadLetterIds = (wanted: string | null, limit: number) =>
      Effect.map(store.listDeadLetters(wanted, limit), (events) => events.map(({ eventId }) => eventId))
    assert.deepStrictEqual(yield* store.listDeadLetters(tenantId, 10), [
      { tenantId, eventId: first.id, kind: first.kind, at: start - 3, until: start + 9 },
      { tenantId, eventId: later.id, kind: later.kind, at: start - 2, until: start + 9 },
      { tenantId, eventId: given.id, kind: given.kind, at: start - 1, until: null }
    ])
    assert.deepStrictEqual(yield* deadLetterIds(null, 2), [first.id, later.id])
    assert.notInclude(yield* deadLetterIds(null, 10), other.id)
    assert.deepStrictEqual(yield* deadLetterIds(freshTenant(), 10), [])
  })

  it("retries a dead letter by its id, unless it is never retried, sent, pending or of another tenant", function* () {
    const store = yield* DeliveryStore
    const { first, given, later, tenantId } = yield* threeDeadLetters
    const taken = () => store.fanOut(fanOutOf(10), () => [])
    assert.strictEqual((yield* taken()).taken, 1)
    for (const [wanted, { id }] of [
      [tenantId, given],
      [freshTenant(), later],
      [tenantId, { id: mint("event") }]
    ] as const) {
      assert.strictEqual(yield* store.retryDeadLetters(wanted, id, 10, retry(id)), 0)
    }
    assert.strictEqual((yield* taken()).taken, 0)
    assert.deepStrictEqual(yield* retries(tenantId), [])
    assert.strictEqual(yield* store.retryDeadLetters(tenantId, later.id, 10, retry(later.id)), 1)
    assert.strictEqual(yield* store.retryDeadLetters(tenantId, later.id, 10, retry(later.id)), 0)
    assert.deepStrictEqual(yield* retries(tenantId), [later.id])
    const seen: Array<readonly [string, boolean]> = []
    yield* store.fanOut(fanOutOf(10), ({ id, isRetry }) => {
      seen.push([id, isRetry])
      return []
    })
    assert.deepStrictEqual(seen, [[later.id, true]])
    const left = yield* store.listDeadLetters(tenantId, 10)
    assert.deepStrictEqual(
      left.map(({ eventId }) => eventId),
      [first.id, given.id]
    )
  })

  it("retries all dead letters of a tenant, oldest first, up to the limit", function* () {
    const store = yield* DeliveryStore
    const { first, given, later, tenantId } = yield* threeDeadLetters
    const untils = Effect.map(store.listDeadLetters(tenantId, 10), (events) =>
      events.map(({ eventId, until }) => [eventId, until])
    )
    assert.strictEqual(yield* store.retryDeadLetters(tenantId, null, 1, retry(tenantId)), 1)
    assert.deepStrictEqual(yield* untils, [
      [first.id, start],
      [later.id, start + 9],
      [given.id, null]
    ])
    assert.strictEqual(yield* store.retryDeadLetters(tenantId, null, 10, retry(tenantId)), 1)
    assert.strictEqual(yield* store.retryDeadLetters(tenantId, null, 10, retry(tenantId)), 0)
    assert.deepStrictEqual(yield* retries(tenantId), [tenantId, tenantId])
    assert.strictEqual((yield* store.fanOut(fanOutOf(10), () => [])).taken, 3)
  })
}

/** The contract of `DeliveryStore` for events: each is sent once to its subscribers, and none blocks another. */
export const deliveryFanOutSuite = (it: TenantTest): void => {
  describe("DeliveryStore.fanOut and begin", () => fanOutTests(it))
  describe("DeliveryStore.listDeadLetters and retryDeadLetters", () => deadLetterTests(it))
}
