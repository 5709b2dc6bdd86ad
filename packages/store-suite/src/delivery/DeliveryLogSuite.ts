import { assert, describe } from "@effect/vitest"
import { EventStore } from "@wcs/domain/audit/EventStore"
import type { Instant } from "@wcs/domain/shared/Instant"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { fanOut } from "@wcs/domain/webhook/FanOut"
import { Effect, Option } from "effect"
import { freshTenant, mint, type StoresTest, start } from "../Fixtures.ts"
import {
  answered,
  begin,
  draft,
  fanOutOf,
  happen,
  listed,
  nothingDue,
  pinged,
  putWebhook,
  readDue,
  settle
} from "./DeliveryFixtures.ts"

const readTests = (it: StoresTest): void => {
  it.effect("finds a delivery of the tenant, and none of another", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const webhook = yield* putWebhook()
      const [{ id } = assert.fail("nothing began")] = yield* begin(webhook)
      assert.strictEqual(Option.getOrUndefined(yield* store.find(webhook.tenantId, id))?.id, id)
      assert.deepStrictEqual(yield* store.find(freshTenant(), id), Option.none())
    })
  )
}

/** Deletes finished deliveries from before a time, and no dead letters. */
const forget = (before: Instant, limit: number) =>
  DeliveryStore.use((store) => store.forget({ before, deadBefore: 0, limit }))

const forgetTests = (it: StoresTest): void => {
  /** Earlier than all other times in the tests. */
  const old = start - 1_000_000_000

  it.effect("deletes old finished deliveries, then their events, and keeps open and redriven ones", () =>
    Effect.gen(function* () {
      yield* nothingDue
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
      assert.strictEqual(yield* forget(old, 100), 0)
      assert.strictEqual(yield* forget(old + 50, 100), 2)
      assert.deepStrictEqual([yield* listed(webhook), yield* kept], [[], [recent.id]])
      assert.strictEqual(yield* forget(old + 200, 100), 0)
      yield* nothingDue
      assert.strictEqual(yield* forget(old + 200, 100), 1)
    })
  )

  it.effect("deletes dead letters that are never retried later than other events, and keeps the others", () =>
    Effect.gen(function* () {
      yield* nothingDue
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
  )

  it.effect("deletes at most as many as the limit", () =>
    Effect.gen(function* () {
      yield* nothingDue
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
  )
}

/** The contract of `DeliveryStore` for its log and its retention. */
export const deliveryLogSuite = (it: StoresTest): void => {
  describe("DeliveryStore, reading", () => readTests(it))
  describe("DeliveryStore.forget", () => forgetTests(it))
}
