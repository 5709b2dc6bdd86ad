import { assert, describe, it } from "@effect/vitest"
import * as Notifications from "@wcs/domain/shared/Notifications"
import { Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"

/** A waiter for a missing value; `come` provides the value. */
const waiting = Effect.gen(function* () {
  const notifications = yield* Notifications.make
  let found = Option.none<string>()
  const look = Effect.sync(() => found)
  const fiber = yield* Effect.forkChild(Notifications.until(notifications, "topic", look), { startImmediately: true })
  const come = Effect.sync(() => {
    found = Option.some("it")
  })
  return { come, fiber, notifications }
})

describe("a waiter", () => {
  it.effect("sees the value after a notification, not before", () =>
    Effect.gen(function* () {
      const { come, fiber, notifications } = yield* waiting
      yield* notifications.notify("another topic")
      yield* notifications.notify("topic")
      yield* Effect.yieldNow
      assert.isUndefined(fiber.pollUnsafe())
      yield* come
      yield* notifications.notify("topic")
      assert.strictEqual(yield* Fiber.join(fiber), "it")
    })
  )

  it.effect("polls after a quarter of a second when a notification is lost", () =>
    Effect.gen(function* () {
      const { come, fiber } = yield* waiting
      yield* come
      yield* TestClock.adjust("249 millis")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* Fiber.join(fiber), "it")
    })
  )

  it.effect("misses no change while it reads the value", () =>
    Effect.gen(function* () {
      const notifications = yield* Notifications.make
      let looks = 0
      const look = Effect.gen(function* () {
        looks += 1
        if (looks > 1) return Option.some("it")
        yield* notifications.notify("topic")
        return Option.none<string>()
      })
      assert.strictEqual(yield* Notifications.until(notifications, "topic", look), "it")
    })
  )
})
