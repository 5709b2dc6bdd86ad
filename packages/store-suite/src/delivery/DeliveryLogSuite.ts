import { assert, describe } from "@effect/vitest"
import { EventStore } from "@wcs/domain/audit/EventStore"
import type { Instant } from "@wcs/domain/shared/Instant"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { fanOut } from "@wcs/domain/webhook/FanOut"
import { countedMax } from "@wcs/domain/webhook/WebhookBacklog"
import { Effect, Option } from "effect"
import { everything, freshTenant, mint, start, type TenantTest } from "../Fixtures.ts"
import {
  answered,
  begin,
  beginAll,
  draft,
  fanOutOf,
  happen,
  idsOf,
  listed,
  nothingDue,
  pinged,
  putWebhook,
  readDue,
  settle,
  settledAs
} from "./DeliveryFixtures.ts"

const readTests = (it: TenantTest): void => {
  it("finds a delivery of the tenant, and none of another", function* () {
    const store = yield* DeliveryStore
    const webhook = yield* putWebhook()
    const [{ id } = assert.fail("nothing began")] = yield* begin(webhook)
    assert.strictEqual(Option.getOrUndefined(yield* store.find(webhook.tenantId, id))?.id, id)
    assert.deepStrictEqual(yield* store.find(freshTenant(), id), Option.none())
  })

  it("lists deliveries from a time, before a time, and between both", function* () {
    const store = yield* DeliveryStore
    const webhook = yield* putWebhook()
    const all = yield* begin(webhook, 4)
    for (const webhookId of [webhook.webhookId, null]) {
      for (const [range, expected] of [
        [{ from: start + 1 }, all.slice(1)],
        [{ to: start + 3 }, all.slice(0, 3)],
        [{ from: start + 1, to: start + 3 }, all.slice(1, 3)]
      ] as const) {
        const page = yield* store.list(webhook.tenantId, webhookId, { ...everything, ...range, conditions: [] })
        assert.deepStrictEqual(
          idsOf(page.items),
          expected.map(({ id }) => id)
        )
      }
    }
  })

  it("lists the failed deliveries of a tenant by state and kind, in order", function* () {
    const store = yield* DeliveryStore
    const webhook = yield* putWebhook()
    const first = yield* settledAs(webhook, "EXHAUSTED")
    const retried = yield* settledAs(webhook, "FAILED_RETRYABLE")
    const arrived = yield* settledAs(webhook, "DELIVERED")
    const last = yield* settledAs(webhook, "EXHAUSTED")
    const { kind } = Option.getOrThrow(yield* store.find(webhook.tenantId, first))
    const found = (state: string, event: string) => {
      const conditions = [{ field: "event", value: event } as const, { field: "state", value: state } as const]
      const selection = { ...everything, conditions, includeTotal: true }
      return Effect.map(store.list(webhook.tenantId, null, selection), ({ items, total }) => [idsOf(items), total])
    }
    assert.deepStrictEqual(yield* found("EXHAUSTED", kind), [[first, last], 2])
    assert.deepStrictEqual(yield* found("FAILED_RETRYABLE", kind), [[retried], 1])
    assert.deepStrictEqual(yield* found("DELIVERED", kind), [[arrived], 1])
    assert.deepStrictEqual(yield* found("EXHAUSTED", "user.none"), [[], 0])
  })

  it("counts what waits and what was given up, of many webhooks, and none of another tenant", function* () {
    const store = yield* DeliveryStore
    const tenantId = freshTenant()
    const webhooks = yield* Effect.forEach(Array.from({ length: 12 }), () => putWebhook(tenantId))
    const [first = assert.fail("no webhook"), second = assert.fail("no second webhook")] = webhooks
    yield* settledAs(first, "EXHAUSTED")
    yield* settledAs(first, "DELIVERED")
    yield* settledAs(second, "FAILED_RETRYABLE")
    yield* begin(first, 2)
    const found = yield* store.backlog(
      tenantId,
      webhooks.map(({ webhookId }) => webhookId)
    )
    assert.lengthOf([...found], 12)
    assert.deepStrictEqual(found.get(first.webhookId), { waiting: 2, exhausted: 1 })
    assert.deepStrictEqual(found.get(second.webhookId), { waiting: 1, exhausted: 0 })
    const elsewhere = yield* store.backlog(freshTenant(), [first.webhookId])
    assert.deepStrictEqual(elsewhere.get(first.webhookId), { waiting: 0, exhausted: 0 })
    assert.deepStrictEqual([...(yield* store.backlog(tenantId, []))], [])
  })

  it("counts no further than a thousand", function* () {
    const store = yield* DeliveryStore
    const webhook = yield* putWebhook()
    yield* beginAll(Array.from({ length: countedMax + 1 }, () => draft(webhook)))
    const found = yield* store.backlog(webhook.tenantId, [webhook.webhookId])
    assert.deepStrictEqual(found.get(webhook.webhookId), { waiting: countedMax, exhausted: 0 })
  })

  it("names the active webhooks whose last attempt failed", function* () {
    const store = yield* DeliveryStore
    const [failing, recovered] = [yield* putWebhook(), yield* putWebhook()]
    const { tenantId } = failing
    const [disabled, waiting] = [yield* putWebhook(tenantId, { status: "DISABLED" }), yield* putWebhook(tenantId)]
    for (const one of [failing, recovered, disabled]) yield* settledAs(one, "EXHAUSTED")
    yield* settledAs(recovered, "DELIVERED")
    yield* begin(waiting)
    assert.deepStrictEqual(yield* store.failing(tenantId), [failing.webhookId])
    assert.deepStrictEqual(yield* store.failing(recovered.tenantId), [])
  })
}

/** Deletes finished deliveries from before a time, and no dead letters. */
const forget = (before: Instant, limit: number) =>
  DeliveryStore.use((store) => store.forget({ before, deadBefore: 0, limit }))

const forgetTests = (it: TenantTest): void => {
  /** Earlier than all other times in the tests. */
  const old = start - 1_000_000_000

  it("deletes old finished deliveries, then their events, and keeps open and redriven ones", function* () {
    const store = yield* DeliveryStore
    const events = yield* EventStore
    const webhook = yield* putWebhook()
    const fannedOut = yield* happen(webhook.tenantId, { at: old })
    const unheard = yield* happen(webhook.tenantId, { at: old + 1 })
    const recent = yield* happen(webhook.tenantId, { at: old + 100 })
    yield* store.fanOut(fanOutOf(2), (event, subscribers) =>
      event.id === fannedOut.id ? fanOut(event, subscribers, () => mint("delivery"), old) : []
    )
    const kept = Effect.map(events.events(webhook.tenantId, 0, 10), (all) => all.map(({ id }) => id))
    assert.strictEqual(yield* forget(old + 50, 100), 1)
    assert.deepStrictEqual(yield* kept, [fannedOut.id, recent.id])
    assert.notInclude(yield* kept, unheard.id)
    const { deliveries } = yield* readDue(old)
    yield* settle(deliveries.map((each) => answered(each, 200, old)))
    for (const { id } of deliveries) assert.lengthOf(yield* store.exchanges(webhook.tenantId, id), 1)
    assert.strictEqual(yield* forget(old, 100), 0)
    assert.strictEqual(yield* forget(old + 50, 100), 2)
    assert.deepStrictEqual([yield* listed(webhook), yield* kept], [[], [recent.id]])
    for (const { id } of deliveries) assert.deepStrictEqual(yield* store.exchanges(webhook.tenantId, id), [])
    assert.strictEqual(yield* forget(old + 200, 100), 0)
    yield* nothingDue
    assert.strictEqual(yield* forget(old + 200, 100), 1)
  })

  it("deletes dead letters that are never retried later than other events, and keeps the others", function* () {
    const store = yield* DeliveryStore
    const events = yield* EventStore
    const { tenantId } = yield* putWebhook()
    const [gone, kept, waits] = [
      yield* happen(tenantId, { at: old }),
      yield* happen(tenantId, { at: old + 9 }),
      yield* happen(tenantId, { at: old })
    ]
    for (const { id } of [gone, kept]) yield* store.deadLetter(tenantId, id, null)
    yield* store.deadLetter(tenantId, waits.id, start)
    assert.strictEqual(yield* store.forget({ before: old + 100, deadBefore: old, limit: 100 }), 0)
    assert.strictEqual(yield* store.forget({ before: old + 100, deadBefore: old + 9, limit: 100 }), 1)
    const left = yield* events.events(tenantId, 0, 10)
    assert.deepStrictEqual(
      left.map(({ id }) => id),
      [kept.id, waits.id]
    )
    const seen: Array<string> = []
    yield* store.fanOut(fanOutOf(10, Number.MAX_SAFE_INTEGER), ({ id }) => {
      seen.push(id)
      return []
    })
    assert.deepStrictEqual(seen, [waits.id])
    assert.deepStrictEqual(
      (yield* store.listDeadLetters(tenantId, 10)).map(({ eventId }) => eventId),
      [kept.id]
    )
    assert.strictEqual(yield* forget(old + 100, 100), 1)
    assert.strictEqual(yield* store.forget({ before: old, deadBefore: old + 10, limit: 100 }), 1)
  })

  it("deletes at most as many as the limit", function* () {
    const store = yield* DeliveryStore
    const webhook = yield* putWebhook()
    for (let count = 0; count < 5; count++) {
      const one = draft(webhook, { createdAt: old + count, state: "SKIPPED_DISABLED" })
      yield* store.begin(one, pinged(one))
    }
    assert.strictEqual(yield* forget(old + 9, 2), 2)
    assert.lengthOf(yield* listed(webhook), 3)
    assert.strictEqual(yield* forget(old + 9, 100), 3)
  })
}

/** The contract of `DeliveryStore` for its log and its retention. */
export const deliveryLogSuite = (it: TenantTest): void => {
  describe("DeliveryStore, reading", () => readTests(it))
  describe("DeliveryStore.forget", () => forgetTests(it))
}
