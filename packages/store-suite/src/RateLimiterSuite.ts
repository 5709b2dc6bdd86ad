import { assert, describe, it } from "@effect/vitest"
import {
  defaultRateLimits,
  peek,
  type Quota,
  RateLimiter,
  type RateLimits,
  type RateLimitTier,
  take,
  type Window
} from "@wcs/domain/RateLimitTier"
import { Clock, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { digits, start } from "./Fixtures.ts"
import { check } from "./Property.ts"

const limits: RateLimits = { ...defaultRateLimits, standard: 3, intensive: 2 }

const takeOne = (tier: RateLimitTier, key: string) => RateLimiter.use((limiter) => limiter.take(tier, key))
const peekAt = (tier: RateLimitTier, key: string) => RateLimiter.use((limiter) => limiter.peek(tier, key))

/** What happens next: the clock goes on, or back, so many milliseconds; then a call is counted or looked at. */
interface Step {
  readonly millis: number
  readonly key: string
  readonly tier: RateLimitTier
  readonly isPeek: boolean
}

const step: fc.Arbitrary<Step> = fc.record({
  millis: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(0, 1, 20_000) },
    { weight: 1, arbitrary: fc.constantFrom(59_999, 60_000, -1, -30_000, -61_000) }
  ),
  key: fc.constantFrom("one", "two"),
  tier: fc.constantFrom("standard", "intensive"),
  isPeek: fc.boolean()
})

/** Does the steps with keys of their own, and by the pure rule beside. */
const runProgram = Effect.fnUntraced(function* (program: ReadonlyArray<Step>) {
  const run = digits()
  const windows = new Map<string, Window>()
  yield* TestClock.setTime(start)
  for (const { isPeek, key, millis, tier } of program) {
    yield* TestClock.setTime((yield* Clock.currentTimeMillis) + millis)
    const now = yield* Clock.currentTimeMillis
    const slot = `${tier} ${key}`
    if (isPeek) {
      assert.deepStrictEqual(yield* peekAt(tier, run + key), peek(windows.get(slot), limits[tier], now))
      continue
    }
    const expected = take(windows.get(slot), limits[tier], now)
    windows.set(slot, expected.window)
    assert.deepStrictEqual(yield* takeOne(tier, run + key), expected.quota)
  }
})

/** What every adapter of `RateLimiter` must do; it tells the time by Effect's clock. */
export const rateLimiterSuite = <E>(
  name: string,
  layerOf: (limits: RateLimits) => Layer.Layer<RateLimiter, E>
): void => {
  const adapter = layerOf(limits)

  describe(name, () => {
    it.effect("RTL-02, RTL-04, RTL-05: counts down, refuses past the limit, and begins again after the reset", () =>
      Effect.gen(function* () {
        const key = digits()
        const quota = (remaining: number, resetSeconds: number, exceeded = false): Quota => ({
          limit: 3,
          remaining,
          resetSeconds,
          exceeded
        })
        assert.deepStrictEqual(yield* takeOne("standard", key), quota(2, 60))
        yield* TestClock.adjust("20 seconds")
        assert.deepStrictEqual(yield* takeOne("standard", key), quota(1, 40))
        assert.deepStrictEqual(yield* takeOne("standard", key), quota(0, 40))
        assert.deepStrictEqual(yield* takeOne("standard", key), quota(0, 40, true))
        yield* TestClock.adjust("39999 millis")
        assert.deepStrictEqual(yield* takeOne("standard", key), quota(0, 1, true))
        yield* TestClock.adjust("1 millis")
        assert.deepStrictEqual(yield* takeOne("standard", key), quota(2, 60))
      }).pipe(Effect.provide(adapter))
    )

    it.effect("counts each key and each tier by itself", () =>
      Effect.gen(function* () {
        const [one, two] = [digits(), digits()]
        yield* takeOne("standard", one)
        assert.strictEqual((yield* takeOne("standard", two)).remaining, 2)
        assert.strictEqual((yield* takeOne("intensive", one)).remaining, 1)
        assert.strictEqual((yield* takeOne("standard", one)).remaining, 1)
      }).pipe(Effect.provide(adapter))
    )

    it.effect("looks without counting", () =>
      Effect.gen(function* () {
        const key = digits()
        assert.strictEqual((yield* peekAt("standard", key)).remaining, 3)
        assert.strictEqual((yield* peekAt("standard", key)).remaining, 3)
        for (let call = 0; call < 4; call++) yield* takeOne("standard", key)
        const quota = yield* peekAt("standard", key)
        assert.deepStrictEqual(quota, { limit: 3, remaining: 0, resetSeconds: 60, exceeded: true })
      }).pipe(Effect.provide(adapter))
    )

    it.effect("gives the last call of a window to one of many at once", () =>
      Effect.gen(function* () {
        const key = digits()
        const quotas = yield* Effect.forEach(
          Array.from({ length: 20 }),
          () => Effect.andThen(Effect.yieldNow, takeOne("standard", key)),
          { concurrency: "unbounded" }
        )
        const allowed = quotas.filter(({ exceeded }) => !exceeded).map(({ remaining }) => remaining)
        assert.sameMembers(allowed, [2, 1, 0])
      }).pipe(Effect.provide(adapter))
    )

    it.effect("answers as the rule does, whatever the calls and the clock, a clock put back included", () =>
      check(fc.array(step, { maxLength: 40 }), runProgram).pipe(Effect.provide(adapter))
    )
  })
}
