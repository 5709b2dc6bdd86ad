import { assert, describe, it } from "@effect/vitest"
import * as Notifications from "@wcs/domain/shared/Notifications"
import { DeliverySettings } from "@wcs/domain/webhook/DeliverySchedule"
import { enabled } from "@wcs/domain/webhook/Webhook"
import { Effect, Latch } from "effect"
import { TestClock } from "effect/testing"
import { deliveriesOf } from "./Seeds.ts"
import {
  always,
  answered,
  changeWebhook,
  deliver,
  delivery,
  healthOf,
  hour,
  minute,
  Outside,
  putWebhook,
  redrive,
  second,
  urlOf,
  webhook,
  world
} from "./World.ts"

/** The attempt times of a delivery that always fails, each delayed by half of the jitter. */
const delays = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour
].map((delay) => Math.ceil(delay * 1.05))

const schedule = [0, ...delays].map((_, index) => delays.slice(0, index).reduce((sum, delay) => sum + delay, 0))

/** Shorter than the usual 30 days, but longer than all attempts take. */
const retentionMillis = 100 * hour

const arrivals = (n = 1) =>
  Outside.use(({ arrivals: all }) => Effect.succeed(all.filter(({ url }) => url === urlOf(n))))

describe("EVT-05, threat 19: failed deliveries over 76 hours and more", () => {
  it.effect("attempts a failing delivery by the schedule, with one id and the same bytes, until it is EXHAUSTED", () =>
    Effect.gen(function* () {
      yield* putWebhook(1, always(500))
      const id = yield* deliver(1)
      for (const [index, at] of schedule.entries()) {
        if (index > 0) {
          yield* TestClock.setTime(at - 1)
          assert.lengthOf(yield* arrivals(), index)
        }
        yield* TestClock.setTime(at)
        assert.lengthOf(yield* arrivals(), index + 1)
        yield* TestClock.adjust(10) // time for the write
        const { attemptCount, dueAt, failures, state } = yield* delivery(id)
        const isLast = index === schedule.length - 1
        assert.deepStrictEqual(
          { attemptCount, dueAt, failures, state },
          {
            attemptCount: index + 1,
            dueAt: isLast ? null : (schedule[index + 1] ?? 0),
            failures: index + 1,
            state: isLast ? "EXHAUSTED" : "FAILED_RETRYABLE"
          }
        )
        assert.strictEqual((yield* healthOf(1))?.consecutiveFailures, index + 1)
      }
      yield* TestClock.adjust("30 hours") // longer than every delay
      const all = yield* arrivals()
      assert.deepStrictEqual(
        all.map(({ at }) => at),
        schedule
      )
      assert.deepStrictEqual([...new Set(all.map(({ headers }) => headers["webhook-id"]))], [id])
      assert.deepStrictEqual([...new Set(all.map(({ headers }) => headers["x-service-delivery"]))], [id])
      assert.lengthOf(new Set(all.map(({ body }) => Buffer.from(body).toString())), 1)
      assert.deepStrictEqual(
        all.map(({ headers }) => headers["x-service-attempt"]),
        all.map((_, index) => String(index + 1))
      )
      assert.strictEqual((yield* webhook(1)).status, "ACTIVE") // 10 failures are fewer than 50
    }).pipe(Effect.provide(world()))
  )

  it.effect("disables a webhook only after 50 failures in a row and 24 hours of failing", () =>
    Effect.gen(function* () {
      yield* putWebhook(1, always(500))
      for (let m = 1; m <= 60; m++) yield* deliver(1, m)
      yield* TestClock.adjust("23 hours")
      assert.isAbove((yield* healthOf(1))?.consecutiveFailures ?? 0, 50)
      assert.strictEqual((yield* webhook(1)).status, "ACTIVE")
      yield* TestClock.adjust("14 hours")
      assert.strictEqual((yield* webhook(1)).status, "AUTO_DISABLED")
      const before = (yield* arrivals()).length
      yield* TestClock.adjust("30 hours")
      assert.lengthOf(yield* arrivals(), before)
      const states = (yield* deliveriesOf(1)).map(({ state }) => state)
      assert.deepStrictEqual(
        states,
        states.map(() => "SKIPPED_DISABLED")
      )
    }).pipe(Effect.provide(world({ attemptsPerWebhook: 100 })))
  )

  it.effect("sends nothing more after a 410 than was in flight", () =>
    Effect.gen(function* () {
      yield* putWebhook(1, () => Effect.delay(Effect.succeed(answered(410)), 10))
      for (let m = 1; m <= 200; m++) yield* deliver(1, m)
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual((yield* webhook(1)).status, "AUTO_DISABLED")
      assert.isAtMost((yield* arrivals()).length, 16)
    }).pipe(Effect.provide(world()))
  )

  it.effect("disables the webhook on 410, skips what is due, and redrives it after the webhook is enabled", () =>
    Effect.gen(function* () {
      yield* putWebhook(1, (count) => Effect.succeed(answered(count === 0 ? 410 : 200)))
      const gone = yield* deliver(1, 1)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* delivery(gone)).state, "EXHAUSTED")
      assert.strictEqual((yield* webhook(1)).status, "AUTO_DISABLED")
      const skipped = yield* deliver(1, 2)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* delivery(skipped)).state, "SKIPPED_DISABLED")
      assert.lengthOf(yield* arrivals(), 1)
      yield* changeWebhook(1, enabled)
      assert.deepStrictEqual(yield* redrive(1, ["EXHAUSTED", "SKIPPED_DISABLED"]), { redriven: 2, hasMore: false })
      yield* TestClock.adjust("1 second")
      const ids = (yield* arrivals()).map(({ headers }) => headers["webhook-id"])
      assert.deepStrictEqual(ids, [gone, gone, skipped])
      assert.deepStrictEqual(
        (yield* deliveriesOf(1)).map(({ attemptCount, state }) => [attemptCount, state]),
        [
          [2, "DELIVERED"],
          [1, "DELIVERED"]
        ]
      )
    }).pipe(Effect.provide(world()))
  )

  it.effect("answers a ping for an enabled and a disabled webhook, without effect on its health", () =>
    Effect.gen(function* () {
      yield* putWebhook(1, always(500))
      yield* changeWebhook(1, (fields) => ({ ...fields, status: "DISABLED" }))
      const { listen } = yield* Notifications.Notifications
      const notified = Latch.makeUnsafe(false)
      yield* listen(Notifications.settled("dlv_0000000000000001"), notified)
      const id = yield* deliver(1, 1, "webhook.test")
      yield* TestClock.adjust("1 second")
      yield* notified.await
      const { attemptCount, state } = yield* delivery(id)
      assert.deepStrictEqual({ attemptCount, state }, { attemptCount: 1, state: "EXHAUSTED" })
      assert.isUndefined(yield* healthOf(1))
    }).pipe(Effect.scoped, Effect.provide(world()))
  )

  it.effect("deletes finished deliveries after the retention", () =>
    Effect.gen(function* () {
      yield* putWebhook(1, always(200))
      yield* putWebhook(2, always(500))
      for (let m = 1; m <= 600; m++) yield* deliver(1, m)
      yield* deliver(2, 601)
      yield* TestClock.adjust(retentionMillis - hour)
      assert.lengthOf(yield* deliveriesOf(1), 600)
      yield* TestClock.adjust(8 * hour)
      assert.lengthOf(yield* deliveriesOf(1), 0)
      assert.lengthOf(yield* deliveriesOf(2), 0)
    }).pipe(
      Effect.provide(world()),
      Effect.provideService(DeliverySettings, { ...DeliverySettings.defaultValue(), retentionMillis })
    )
  )
})
