import { assert, describe } from "@effect/vitest"
import { Credential } from "@wcs/domain/Credential"
import { type Delivery, type DeliveryState, deliveryStates } from "@wcs/domain/Delivery"
import { DeliveryStore, type Redrive } from "@wcs/domain/DeliveryStore"
import { EventStore } from "@wcs/domain/EventStore"
import { fanOut, type Subscriber, type WaitingEvent } from "@wcs/domain/FanOut"
import { type EventDraft, noTrail } from "@wcs/domain/Trail"
import { Webhook } from "@wcs/domain/Webhook"
import { forgiven, untried } from "@wcs/domain/WebhookHealth"
import { Effect, Option } from "effect"
import {
  answered,
  begin,
  claim,
  draft,
  fanOutOf,
  idsOf,
  listed,
  nothingDue,
  pinged,
  putWebhook,
  type Receiver,
  settle
} from "./DeliveryFixtures.ts"
import {
  auditEntry,
  auditTrail,
  created,
  credentialFields,
  eventDraft,
  find,
  freshTenant,
  mint,
  put,
  remove,
  type StoresTest,
  start,
  subscribe
} from "./Fixtures.ts"

/** Something happens to a credential of a tenant. */
const happen = Effect.fnUntraced(function* (tenantId: string, overrides: Partial<EventDraft> = {}) {
  const row = created(mint("credential"), credentialFields({ worker: mint("worker") }))
  const event = eventDraft(row.id, "credential.created", overrides)
  yield* put(Credential, tenantId, row, { audit: [], events: [event] })
  return event
})

/** Sends what waits, by the rules. */
const send = Effect.fnUntraced(function* (limit = 100, at = start) {
  const store = yield* DeliveryStore
  const { taken } = yield* store.fanOut(fanOutOf(limit), (event, subscribers) =>
    fanOut(event, subscribers, () => mint("delivery"), at)
  )
  return taken
})

const settledAs = Effect.fnUntraced(function* (receiver: Receiver, state: DeliveryState, createdAt = start) {
  const store = yield* DeliveryStore
  const one = draft(receiver, { createdAt })
  yield* store.begin(one, pinged(one))
  if (state === "PENDING") return one.id
  const { claimed } = yield* claim(createdAt)
  yield* settle(
    claimed.map((each) => {
      if (state === "SKIPPED_DISABLED") {
        return { ...each, delivery: { ...each.delivery, state, dueAt: null }, succeeded: null }
      }
      return answered(each, state === "DELIVERED" ? 204 : 500, start, state === "FAILED_RETRYABLE" ? [3_600_000] : [])
    })
  )
  return one.id
})

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
      const subscribers = [one, two].map(({ fields, webhookId }) => ({ webhookId, fields }))
      assert.deepStrictEqual(seen, [
        [{ ...first, sequence: 1, tenantId: one.tenantId }, subscribers],
        [{ ...foreign, sequence: 7, tenantId: other.tenantId }, [{ webhookId: other.webhookId, fields: other.fields }]],
        [{ ...last, sequence: 1, tenantId: one.tenantId }, subscribers]
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
        yield* store.forget(start + 1_000_000, 100)
        const seen: Array<string> = []
        const { taken } = yield* store.fanOut({ ...request, now: start + 500 }, ({ id }) => {
          seen.push(id)
          return []
        })
        assert.strictEqual(taken, 2)
        assert.deepStrictEqual(seen, [fresh.id, broken?.id])
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

const settleTests = (it: StoresTest): void => {
  it.effect("writes what has become of each, to the letter, and folds them into health in their order", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const store = yield* DeliveryStore
      const [one, two, three] = [yield* putWebhook(), yield* putWebhook(), yield* putWebhook()]
      for (const webhook of [one, two, three]) yield* begin(webhook, 3)
      const { claimed } = yield* claim(start + 9)
      const of = ({ webhookId }: Receiver) => claimed.filter(({ delivery }) => delivery.webhookId === webhookId)
      const settlements = [
        ...of(one).map((each, index) => answered(each, [200, 503, 404][index] ?? 0, start + 9, [1000])),
        ...of(two).map((each, index) => answered(each, [500, 500, 204][index] ?? 0, start + 9, [1000])),
        ...of(three).map((each) => ({ ...each, succeeded: null }))
      ]
      const assessed = yield* settle(settlements, start + 9)
      const failing = { consecutiveFailures: 2, failingSince: start + 9, lastSuccessAt: start + 9 }
      assert.deepStrictEqual(
        new Map(assessed.map(({ health, webhookId }) => [webhookId, health])),
        new Map([
          [one.webhookId, { ...failing, lastFailureAt: start + 9 }],
          [two.webhookId, { ...untried, lastSuccessAt: start + 9, lastFailureAt: start + 9 }]
        ])
      )
      for (const webhook of [one, two]) {
        assert.deepStrictEqual(
          yield* listed(webhook),
          settlements.map(({ delivery }) => delivery).filter(({ webhookId }) => webhookId === webhook.webhookId)
        )
      }
      const health = yield* store.health(one.tenantId, [one.webhookId, two.webhookId, "whk_none"])
      assert.deepStrictEqual([...health.keys()], [one.webhookId])
      assert.deepStrictEqual([...(yield* store.health(three.tenantId, [three.webhookId]))], [])
    })
  )

  it.effect("keeps any text that a receiver may answer with", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const webhook = yield* putWebhook()
      yield* begin(webhook)
      const { claimed } = yield* claim(start)
      const excerpt = "a\u0000b\ud83d c\udc00 '\"\\ \u{1F600}\u2028"
      yield* settle(claimed.map((each) => ({ ...answered(each, 500, start, [], excerpt), succeeded: false })))
      assert.deepStrictEqual(
        (yield* listed(webhook)).map(({ lastResponse }) => lastResponse),
        ["a\ufffdb\ufffd c\ufffd '\"\\ \u{1F600}\u2028"]
      )
    })
  )

  it.effect("is due again when it says, and is over where it says nothing", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const webhook = yield* putWebhook()
      const [, second] = yield* begin(webhook, 2)
      const { claimed } = yield* claim(start + 9)
      yield* settle(claimed.map((each, index) => answered(each, 500, start + 9, index === 0 ? [] : [1000])))
      assert.strictEqual((yield* claim(start + 1008)).nextDueAt, start + 1009)
      assert.deepStrictEqual(idsOf((yield* claim(start + 1009)).claimed), second === undefined ? [] : [second.id])
    })
  )

  it.effect("health of a webhook is changed where something was attempted, and nowhere else", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const store = yield* DeliveryStore
      const webhook = yield* putWebhook()
      const { tenantId, webhookId } = webhook
      const health = Effect.map(store.health(tenantId, [webhookId]), (found) => found.get(webhookId))
      const never = () => ({ ...untried, lastSuccessAt: 1 })
      yield* store.changeHealth(tenantId, webhookId, never)
      yield* begin(webhook)
      yield* store.changeHealth(tenantId, webhookId, never)
      assert.isUndefined(yield* health)
      const { claimed } = yield* claim(start)
      yield* settle(claimed.map((each) => answered(each, 500, start)))
      yield* store.changeHealth(freshTenant(), webhookId, never)
      assert.strictEqual((yield* health)?.consecutiveFailures, 1)
      yield* store.changeHealth(tenantId, webhookId, forgiven)
      assert.deepStrictEqual(yield* health, { ...untried, lastFailureAt: start })
    })
  )
}

const changeTests = (it: StoresTest): void => {
  /** Disables a webhook of which an attempt has failed, if it is so still. */
  const disable = ({ tenantId, webhookId }: Receiver) =>
    DeliveryStore.use((store) =>
      store.changeWebhook(tenantId, webhookId, (current, { consecutiveFailures }) =>
        consecutiveFailures === 0
          ? { _tag: "Unchanged", current }
          : {
              _tag: "Changed",
              next: {
                ...current,
                version: current.version + 1,
                fields: { ...current.fields, status: "AUTO_DISABLED" }
              },
              trail: { audit: [auditEntry(webhookId, { action: "auto-disable", entityType: "webhook" })], events: [] }
            }
      )
    )

  const statusOf = ({ tenantId, webhookId }: Receiver) =>
    Effect.map(find(Webhook, tenantId, webhookId), (stored) => stored?.fields.status)

  it.effect("changes a webhook by its health, with its trail, or nothing", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const store = yield* DeliveryStore
      const webhook = yield* putWebhook()
      assert.isFalse(yield* disable(webhook))
      yield* settledAs(webhook, "EXHAUSTED")
      yield* store.changeHealth(webhook.tenantId, webhook.webhookId, forgiven)
      assert.isFalse(yield* disable(webhook))
      assert.deepStrictEqual(yield* statusOf(webhook), "ACTIVE")
      yield* settledAs(webhook, "EXHAUSTED")
      assert.isTrue(yield* disable(webhook))
      assert.deepStrictEqual(yield* statusOf(webhook), "AUTO_DISABLED")
      assert.include(
        (yield* auditTrail(webhook.tenantId)).map(({ action }) => action),
        "auto-disable"
      )
      assert.isFalse(yield* disable({ tenantId: freshTenant(), webhookId: webhook.webhookId }))
    })
  )

  it.effect(
    "nothing counts for its health meanwhile: once a success is settled, no change rests on what was before",
    () =>
      Effect.gen(function* () {
        for (let round = 0; round < 5; round++) {
          yield* nothingDue
          const webhook = yield* putWebhook()
          yield* settledAs(webhook, "EXHAUSTED")
          yield* begin(webhook)
          const { claimed } = yield* claim(start)
          const seen: Array<number | "settled"> = []
          const store = yield* DeliveryStore
          const look = store.changeWebhook(webhook.tenantId, webhook.webhookId, (current, { consecutiveFailures }) => {
            seen.push(consecutiveFailures)
            return { _tag: "Changed", next: { ...current, version: current.version + 1 }, trail: noTrail }
          })
          const success = settle(claimed.map((each) => answered(each, 204, start)))
          const succeed = Effect.tap(success, () => Effect.sync(() => seen.push("settled")))
          const looks = Array.from({ length: 8 }, () => look)
          yield* Effect.all([...looks.slice(4), succeed, ...looks], { concurrency: "unbounded" })
          assert.notInclude(seen.slice(seen.indexOf("settled")), 1)
        }
      })
  )
}

const readTests = (it: StoresTest): void => {
  it.effect("finds a delivery of the tenant's, and pages of a webhook's, by state too, in the order of writing", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const store = yield* DeliveryStore
      const webhook = yield* putWebhook()
      const ids: Array<string> = []
      for (const state of [...deliveryStates, ...deliveryStates]) {
        ids.push(yield* settledAs(webhook, state, state === "PENDING" ? start + 1 : start))
      }
      yield* begin(yield* putWebhook(webhook.tenantId))
      const all = { conditions: [], direction: "desc", includeDeleted: false, includeTotal: true } as const
      const page = yield* store.list(webhook.tenantId, webhook.webhookId, { ...all, pageSize: 4, after: undefined })
      assert.deepStrictEqual(
        [page.items.map(({ id }) => id), page.hasMore, page.total],
        [ids.toReversed().slice(0, 4), true, ids.length]
      )
      const after = page.items.at(-1)?.position
      const rest = yield* store.list(webhook.tenantId, webhook.webhookId, { ...all, pageSize: 100, after })
      assert.deepStrictEqual(
        rest.items.map(({ id }) => id),
        ids.toReversed().slice(4)
      )
      for (const [index, state] of deliveryStates.entries()) {
        const conditions = [{ field: "state", value: state }] as const
        const found = yield* store.list(webhook.tenantId, webhook.webhookId, {
          ...all,
          conditions,
          pageSize: 9,
          after: undefined
        })
        assert.deepStrictEqual(
          found.items.map(({ id }) => id),
          [ids[index + deliveryStates.length] ?? "", ids[index] ?? ""],
          state
        )
      }
      const [id = ""] = ids
      assert.strictEqual(Option.getOrUndefined(yield* store.find(webhook.tenantId, id))?.id, id)
      assert.deepStrictEqual(yield* store.find(freshTenant(), id), Option.none())
      const strange = yield* store.list(freshTenant(), webhook.webhookId, { ...all, pageSize: 9, after: undefined })
      assert.deepStrictEqual([strange.items, strange.total], [[], 0])
    })
  )
}

const redriveTests = (it: StoresTest): void => {
  const failed: ReadonlyArray<DeliveryState> = ["FAILED_RETRYABLE", "EXHAUSTED", "SKIPPED_DISABLED"]
  const anyTime = { from: null, to: null, deliveryIds: null, limit: 100 }
  const late = start + 60_000

  const redriven = (webhookId: string, at: number) =>
    auditEntry(webhookId, { action: "redrive", entityType: "webhook", at })

  const redrive = Effect.fnUntraced(function* (
    { tenantId, webhookId }: Receiver,
    chosen: Partial<Redrive> = {},
    now = late
  ) {
    const store = yield* DeliveryStore
    return yield* store.redrive(
      tenantId,
      webhookId,
      { states: failed, ...anyTime, ...chosen },
      redriven(webhookId, now)
    )
  })

  it.effect("makes what is in a state due at once, with its body, id and attempts, and no failures", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const webhook = yield* putWebhook()
      const neighbour = yield* putWebhook(webhook.tenantId)
      for (const state of failed) yield* settledAs(webhook, state)
      yield* settledAs(webhook, "DELIVERED")
      yield* settledAs(neighbour, "EXHAUSTED")
      const before = yield* listed(webhook)
      assert.deepStrictEqual(yield* redrive(webhook), { redriven: 3, hasMore: false })
      const after = before.map((one) =>
        one.state === "DELIVERED" ? one : { ...one, state: "PENDING", failures: 0, dueAt: late, deliveredAt: null }
      )
      assert.deepStrictEqual(yield* listed(webhook), after as ReadonlyArray<Delivery>)
      assert.deepStrictEqual(
        idsOf((yield* claim(late)).claimed),
        before.slice(0, 3).map(({ id }) => id)
      )
    })
  )

  it.effect("each once: what is due, or attempted at the moment, is left alone", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const webhook = yield* putWebhook()
      const ids = [yield* settledAs(webhook, "EXHAUSTED"), yield* settledAs(webhook, "DELIVERED")]
      const every = { states: deliveryStates, deliveryIds: [...ids, ...ids, "dlv_none"] }
      assert.deepStrictEqual(yield* redrive(webhook, every), { redriven: 2, hasMore: false })
      assert.deepStrictEqual(yield* redrive(webhook, every), { redriven: 0, hasMore: false })
      const { claimed } = yield* claim(late)
      assert.deepStrictEqual(yield* redrive(webhook, every), { redriven: 0, hasMore: false })
      yield* settle(claimed.map((each) => answered(each, 200, late)))
      assert.deepStrictEqual(yield* redrive(webhook, every), { redriven: 2, hasMore: false })
    })
  )

  it.effect("once, however many ask at once", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const webhook = yield* putWebhook()
      for (let count = 0; count < 5; count++) yield* settledAs(webhook, "SKIPPED_DISABLED")
      const done = yield* Effect.all(
        Array.from({ length: 4 }, () => redrive(webhook, { limit: 3 })),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(
        done.reduce((sum, { redriven }) => sum + redriven, 0),
        5
      )
    })
  )

  it.effect("only what was begun in the time, of the ids, and no more than the limit, the oldest first", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const webhook = yield* putWebhook()
      const ids: Array<string> = []
      for (const later of [0, 10, 20, 30]) ids.push(yield* settledAs(webhook, "EXHAUSTED", start + later))
      const [first = "", second = "", third = "", fourth = ""] = ids
      assert.deepStrictEqual(yield* redrive(webhook, { from: start + 10, to: start + 30, limit: 1 }), {
        redriven: 1,
        hasMore: true
      })
      assert.deepStrictEqual(idsOf((yield* claim(late)).claimed), [second])
      assert.deepStrictEqual(yield* redrive(webhook, { to: start }), { redriven: 0, hasMore: false })
      assert.deepStrictEqual(yield* redrive(webhook, { deliveryIds: [first, fourth], from: start + 1 }), {
        redriven: 1,
        hasMore: false
      })
      assert.deepStrictEqual(idsOf((yield* claim(late)).claimed), [fourth])
      assert.deepStrictEqual(yield* redrive(webhook, { states: [] }), { redriven: 0, hasMore: false })
      assert.deepStrictEqual(yield* redrive({ ...webhook, tenantId: freshTenant() }), { redriven: 0, hasMore: false })
      assert.deepStrictEqual(yield* redrive(webhook, { limit: 2 }), { redriven: 2, hasMore: false })
      assert.deepStrictEqual(idsOf((yield* claim(late)).claimed), [first, third])
    })
  )
}

const forgetTests = (it: StoresTest): void => {
  /** Long before everything else that tests write. */
  const old = start - 1_000_000_000

  it.effect("forgets what is over and was begun before, then its events; what is open, or redriven, stays", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const store = yield* DeliveryStore
      const events = yield* EventStore
      const webhook = yield* putWebhook()
      const told = yield* happen(webhook.tenantId, { at: old })
      const unheard = yield* happen(webhook.tenantId, { at: old + 1 })
      const recent = yield* happen(webhook.tenantId, { at: old + 100 })
      yield* store.fanOut(fanOutOf(2), (event, subscribers) =>
        event.id === told.id ? fanOut(event, subscribers, () => mint("delivery"), old) : []
      )
      const kept = Effect.map(events.events(webhook.tenantId, 0, 10), (all) => all.map(({ id }) => id))
      assert.strictEqual(yield* store.forget(old + 50, 100), 1)
      assert.deepStrictEqual(yield* kept, [told.id, recent.id])
      assert.notInclude(yield* kept, unheard.id)
      const { claimed } = yield* claim(old)
      yield* settle(claimed.map((each) => answered(each, 200, old)))
      assert.strictEqual(yield* store.forget(old, 100), 0)
      assert.strictEqual(yield* store.forget(old + 50, 100), 2)
      assert.deepStrictEqual([yield* listed(webhook), yield* kept], [[], [recent.id]])
      assert.strictEqual(yield* store.forget(old + 200, 100), 0)
      yield* nothingDue
      assert.strictEqual(yield* store.forget(old + 200, 100), 1)
    })
  )

  it.effect("forgets at most so many at once", () =>
    Effect.gen(function* () {
      yield* nothingDue
      const store = yield* DeliveryStore
      const webhook = yield* putWebhook()
      for (let count = 0; count < 5; count++) {
        const one = draft(webhook, { createdAt: old + count, state: "SKIPPED_DISABLED" })
        yield* store.begin(one, pinged(one))
      }
      assert.strictEqual(yield* store.forget(old + 9, 2), 2)
      assert.lengthOf(yield* listed(webhook), 3)
      assert.strictEqual(yield* store.forget(old + 9, 100), 3)
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

/** What `DeliveryStore` promises beside its claims. */
export const deliveryStoreSuite = (it: StoresTest): void => {
  describe("DeliveryStore.fanOut and begin", () => {
    fanOutTests(it)
    subscriptionTests(it)
  })
  describe("DeliveryStore.settle, and health", () => settleTests(it))
  describe("DeliveryStore.changeWebhook", () => changeTests(it))
  describe("DeliveryStore, reading", () => readTests(it))
  describe("DeliveryStore.redrive", () => redriveTests(it))
  describe("DeliveryStore.forget", () => forgetTests(it))
}
