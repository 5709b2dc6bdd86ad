import { assert, describe, it } from "@effect/vitest"
import {
  boundBy,
  defaultRateLimits,
  isRateLimit,
  peek,
  perMinute,
  type RateLimit,
  rateLimitTiers,
  take,
  type Window
} from "@wcs/domain/access/RateLimitTier"
import * as fc from "fast-check"

/** A tier's limit, or one that an account was given: windows of a second, of a minute and of an hour among them. */
const limit: fc.Arbitrary<RateLimit> = fc.record({
  calls: fc.integer({ min: 1, max: 50 }),
  windowSeconds: fc.oneof(fc.constantFrom(1, 60, 3600), fc.integer({ min: 1, max: 120 }))
})
/** Calls, each so many milliseconds after the one before; a clock that is set back among them. */
const steps = fc.array(fc.integer({ min: -5_000, max: 20_000 }), { minLength: 1, maxLength: 150 })

/** What a sequence of calls is told. */
const play = (limit: RateLimit, steps: ReadonlyArray<number>) => {
  let window: Window | undefined
  let now = 1_700_000_000_000
  return steps.map((step) => {
    now += step
    const before = window
    const peeked = peek(before, limit, now)
    const taken = take(before, limit, now)
    window = taken.window
    return { now, before, after: taken.window, peeked, quota: taken.quota }
  })
}

describe("RateLimitTier", () => {
  it("has the limits of DECISIONS.md#access for a minute", () => {
    assert.deepStrictEqual(defaultRateLimits, {
      standard: 600,
      intensive: 60,
      unauthenticated: 120,
      tokenFailures: 30,
      addressFailures: 300,
      loginFailures: 10,
      tokensIssued: 60
    })
    assert.sameMembers(Object.keys(defaultRateLimits), [...rateLimitTiers])
    assert.deepStrictEqual(perMinute(600), { calls: 600, windowSeconds: 60 })
  })

  it("RTL-02: in a burst `remaining` falls by one with each call, down to nothing, and then calls are refused", () => {
    fc.assert(
      fc.property(limit, (limit) => {
        const told = play(
          limit,
          Array.from({ length: limit.calls + 3 }, () => 0)
        ).map(({ quota }) => quota)
        for (const [index, quota] of told.entries()) {
          assert.deepStrictEqual(quota, {
            limit: limit.calls,
            remaining: Math.max(0, limit.calls - 1 - index),
            resetSeconds: limit.windowSeconds,
            exceeded: index >= limit.calls
          })
        }
      })
    )
  })

  it("RTL-02: `remaining` is never above `limit` and never below nothing", () => {
    fc.assert(
      fc.property(limit, steps, (limit, steps) => {
        for (const { peeked, quota } of play(limit, steps)) {
          for (const { remaining } of [peeked, quota]) assert.isTrue(remaining >= 0 && remaining <= limit.calls)
        }
      })
    )
  })

  it("RTL-03: `reset` is whole seconds still to wait, from 1 to the window, and then the limit is whole again", () => {
    fc.assert(
      fc.property(limit, steps, (limit, steps) => {
        for (const { after, now, quota } of play(limit, steps)) {
          const { resetSeconds } = quota
          assert.isTrue(Number.isInteger(resetSeconds) && resetSeconds >= 1 && resetSeconds <= limit.windowSeconds)
          const later = peek(after, limit, now + resetSeconds * 1000)
          assert.deepStrictEqual([later.remaining, later.exceeded], [limit.calls, false])
        }
      })
    )
  })

  it("RTL-05: a second before `reset` is over the limit is used up still", () => {
    fc.assert(
      fc.property(limit, fc.nat(3_599_999), (limit, later) => {
        const passed = later % (limit.windowSeconds * 1000)
        const told = play(limit, [...Array.from({ length: limit.calls }, () => 0), passed]).at(-1)
        assert.isTrue(told?.quota.exceeded)
        const { after, now, quota } = told ?? assert.fail("nobody was told anything")
        assert.isTrue(peek(after, limit, now + (quota.resetSeconds - 1) * 1000).exceeded)
      })
    )
  })

  it("RTL-06: a refused call does not count", () => {
    fc.assert(
      fc.property(limit, steps, (limit, steps) => {
        for (const { after, before, quota } of play(limit, steps)) {
          if (quota.exceeded) assert.deepStrictEqual(after, before)
        }
      })
    )
  })

  it("no window lets more calls through than the limit", () => {
    fc.assert(
      fc.property(limit, steps, (limit, steps) => {
        const accepted = new Map<number, number>()
        for (const { after, quota } of play(limit, steps)) {
          if (!quota.exceeded) accepted.set(after.startedAt, (accepted.get(after.startedAt) ?? 0) + 1)
        }
        for (const count of accepted.values()) assert.isAtMost(count, limit.calls)
      })
    )
  })

  it("looking counts nothing, and tells what the next call will be told", () => {
    fc.assert(
      fc.property(limit, steps, (limit, steps) => {
        for (const { before, now, peeked, quota } of play(limit, steps)) {
          assert.deepStrictEqual(peek(before, limit, now), peeked)
          assert.strictEqual(peeked.exceeded, quota.exceeded)
          assert.strictEqual(peeked.remaining - quota.remaining, quota.exceeded ? 0 : 1)
        }
      })
    )
  })

  it.each([
    ["in its last millisecond", 59_999, true],
    ["when its minute is over", 60_000, false],
    ["when the clock is set back before its start", -1, false]
  ])("a used-up window, %s", (_name, offset, exceeded) => {
    const window: Window = { startedAt: 1_700_000_000_000, used: 5 }
    assert.strictEqual(peek(window, perMinute(5), window.startedAt + offset).exceeded, exceeded)
  })

  const hundred = perMinute(100)

  it.each([
    ["none: the tier's", null, hundred],
    ["fewer calls", perMinute(99), perMinute(99)],
    ["as many calls", { calls: 100, windowSeconds: 60 }, { calls: 100, windowSeconds: 60 }],
    ["more calls: the tier's", perMinute(101), hundred],
    ["as many in the long run, a few at a time", { calls: 5, windowSeconds: 3 }, { calls: 5, windowSeconds: 3 }],
    ["a few at a time, and more in the long run: the tier's", { calls: 6, windowSeconds: 3 }, hundred],
    [
      "many at a time, and fewer in the long run",
      { calls: 500, windowSeconds: 3600 },
      { calls: 500, windowSeconds: 3600 }
    ]
  ] as const)("RTL-07: a limit of one's own that is %s", (_name, own, bound) => {
    assert.deepStrictEqual(boundBy(hundred, own), bound)
  })

  it("RTL-07: nobody comes to more calls, in the long run, by a limit of their own", () => {
    const rate = ({ calls, windowSeconds }: RateLimit) => calls / windowSeconds
    fc.assert(
      fc.property(limit, limit, (tier, own) => {
        assert.strictEqual(rate(boundBy(tier, own)), Math.min(rate(tier), rate(own)))
      })
    )
  })

  it("an account can be given 1 to 1000000 calls in 1 to 3600 seconds", () => {
    for (const [calls, windowSeconds] of [
      [1, 1],
      [1_000_000, 3600]
    ])
      assert.isTrue(isRateLimit({ calls, windowSeconds }))
    for (const [calls, windowSeconds] of [
      [0, 1],
      [1_000_001, 1],
      [1, 0],
      [1, 3601],
      [1.5, 1],
      [1, 1.5],
      [Number.NaN, 1]
    ]) {
      assert.isFalse(isRateLimit({ calls, windowSeconds }))
    }
  })
})
