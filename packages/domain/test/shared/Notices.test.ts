import { assert, describe, it } from "@effect/vitest"
import * as Notices from "@wcs/domain/shared/Notices"
import { Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"

/** A waiter for a value that does not exist yet; `come` makes it exist. */
const waiting = Effect.gen(function* () {
  const notices = yield* Notices.make
  let found = Option.none<string>()
  const look = Effect.sync(() => found)
  const fiber = yield* Effect.forkChild(Notices.until(notices, "topic", look), { startImmediately: true })
  const come = Effect.sync(() => {
    found = Option.some("it")
  })
  return { come, fiber, notices }
})

describe("a waiter", () => {
  it.effect("sees the value after a notification, and not before", () =>
    Effect.gen(function* () {
      const { come, fiber, notices } = yield* waiting
      yield* notices.tell("another topic")
      yield* notices.tell("topic")
      yield* Effect.yieldNow
      assert.isUndefined(fiber.pollUnsafe())
      yield* come
      yield* notices.tell("topic")
      assert.strictEqual(yield* Fiber.join(fiber), "it")
    })
  )

  it.effect("polls after a quarter of a second if a notification is lost", () =>
    Effect.gen(function* () {
      const { come, fiber } = yield* waiting
      yield* come
      yield* TestClock.adjust("249 millis")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* Fiber.join(fiber), "it")
    })
  )

  it.effect("misses no change during its look", () =>
    Effect.gen(function* () {
      const notices = yield* Notices.make
      let looks = 0
      const look = Effect.gen(function* () {
        looks += 1
        if (looks > 1) return Option.some("it")
        yield* notices.tell("topic")
        return Option.none<string>()
      })
      assert.strictEqual(yield* Notices.until(notices, "topic", look), "it")
    })
  )
})
