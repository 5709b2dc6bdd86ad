import { assert, describe } from "@effect/vitest"
import type { Delivery } from "@wcs/domain/Delivery"
import { DeliveryStore } from "@wcs/domain/DeliveryStore"
import { fanOut, type Subscriber, type WaitingEvent } from "@wcs/domain/FanOut"
import { Webhook } from "@wcs/domain/Webhook"
import { Effect } from "effect"
import {
  claim,
  draft,
  fanOutOf,
  happen,
  idsOf,
  listed,
  nothingDue,
  pinged,
  putWebhook,
  send
} from "./DeliveryFixtures.ts"
import { freshTenant, mint, remove, type StoresTest, start, subscribe } from "./Fixtures.ts"

const fanOutTests = (it: StoresTest): void => {
  it.effect("takes what waits, the oldest first, with the webhooks that subscribe to its kind and are there", () =>
    Effect.gen(function* () {
      yield* nothingDue
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
      assert.deepStrictEqual(yield* store.fanOut(fanOutOf(2), note), { taken: 2, setAside: [] })
      assert.deepStrictEqual(yield* store.fanOut(fanOutOf(2), note), { taken: 1, setAside: [] })
      assert.deepStrictEqual(yield* store.fanOut(fanOutOf(2), note), { taken: 0, setAside: [] })
      const subscribers = [one, two].map(({ fields, webhookId }) => ({ webhookId, createdAt: start, fields }))
      assert.deepStrictEqual(seen, [
        [{ ...first, sequence: 1, tenantId: one.tenantId, wasSetAside: false }, subscribers],
        [
          { ...foreign, sequence: 7, tenantId: other.tenantId, wasSetAside: false },
          [{ webhookId: other.webhookId, createdAt: start, fields: other.fields }]
        ],
        [{ ...last, sequence: 1, tenantId: one.tenantId, wasSetAside: false }, subscribers]
      ])
    })
  )

  it.effect("writes a delivery to each, due at once, and to a disabled webhook one that is skipped", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const one = yield* putWebhook()
      const two = yield* putWebhook(one.tenantId, { status: "AUTO_DISABLED" })
      const event = yield* happen(one.tenantId, { correlationId: "run:1" })
      yield* send()
      const [delivery] = yield* listed(one)
      const { id, kind, correlationId, at } = event
      assert.deepStrictEqual(delivery, {
        id: delivery?.id,
        tenantId: one.tenantId,
        webhookId: one.webhookId,
        eventId: id,
        kind,
        correlationId,
        state: "PENDING",
        body: delivery?.body,
        attemptCount: 0,
        failures: 0,
        attempts: [],
        lastResponse: null,
        dueAt: at,
        createdAt: at,
        deliveredAt: null
      } as Delivery)
      assert.strictEqual(JSON.parse(delivery?.body ?? "").eventId, id)
      const skipped = (yield* listed(two)).map(({ dueAt, state }) => ({ dueAt, state }))
      assert.deepStrictEqual(skipped, [{ dueAt: null, state: "SKIPPED_DISABLED" }])
      assert.deepStrictEqual(idsOf((yield* claim(start)).claimed), delivery === undefined ? [] : [delivery.id])
    })
  )

  it.effect("sends an event to a webhook once, however many are at it at once", () =>
    Effect.gen(function* () {
      yield* nothingDue
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
  )

  it.effect(
    "sets an event aside that cannot be decided on, and sends the others; takes it again when its time has come",
    () =>
      Effect.gen(function* () {
        yield* nothingDue
        const store = yield* DeliveryStore
        const webhook = yield* putWebhook()
        const events = yield* Effect.forEach([1, 2, 3], () => happen(webhook.tenantId))
        const [, broken = events[0]] = events
        const request = { now: start, limit: 10, asideUntil: (at: number) => at + 500 }
        const decide = (event: WaitingEvent, subscribers: ReadonlyArray<Subscriber>) => {
          if (event.id === broken?.id) throw new Error("broken")
          return fanOut(event, subscribers, () => mint("delivery"), start)
        }
        assert.deepStrictEqual(yield* store.fanOut(request, decide), {
          taken: 3,
          setAside: [
            { tenantId: webhook.tenantId, eventId: broken?.id ?? "", until: start + 500, fault: new Error("broken") }
          ]
        })
        assert.lengthOf(yield* listed(webhook), 2)
        assert.strictEqual(yield* send(100, start), 0)
        const fresh = yield* happen(webhook.tenantId)
        yield* store.forget({ before: start + 1_000_000, asideBefore: start + 1_000_000, limit: 100 })
        const seen: Array<readonly [string, boolean]> = []
        const { taken } = yield* store.fanOut({ ...request, now: start + 500 }, ({ id, wasSetAside }) => {
          seen.push([id, wasSetAside])
          return []
        })
        assert.strictEqual(taken, 2)
        assert.deepStrictEqual(seen, [
          [fresh.id, false],
          [broken?.id ?? "", true]
        ])
      })
  )

  it.effect("sets an event aside by its id, unless it is sent", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const store = yield* DeliveryStore
      const webhook = yield* putWebhook()
      const [sent, aside] = [yield* happen(webhook.tenantId), yield* happen(webhook.tenantId)]
      assert.strictEqual(yield* send(1), 1)
      for (const { id } of [sent, aside]) yield* store.setAside(webhook.tenantId, id, start + 1)
      yield* store.setAside(freshTenant(), aside.id, start + 2)
      assert.strictEqual(yield* send(), 0)
      assert.strictEqual((yield* store.fanOut(fanOutOf(9, start + 1), () => [])).taken, 1)
    })
  )

  it.effect("keeps the delivery that an event and a webhook have, should there be another of them", () =>
    Effect.gen(function* () {
      yield* nothingDue
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
  )
}

const subscriptionTests = (it: StoresTest): void => {
  it.effect("an event that nobody subscribes to by the time it is sent is sent to nobody", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const webhook = yield* putWebhook()
      yield* happen(webhook.tenantId)
      yield* subscribe(webhook.tenantId, webhook.webhookId, [])
      assert.strictEqual(yield* send(), 1)
      assert.deepStrictEqual(yield* listed(webhook), [])
    })
  )
}

/** What `DeliveryStore` promises of events: each is sent to those who subscribe, once, and none keeps another. */
export const deliveryFanOutSuite = (it: StoresTest): void => {
  describe("DeliveryStore.fanOut and begin", () => {
    fanOutTests(it)
    subscriptionTests(it)
  })
}
