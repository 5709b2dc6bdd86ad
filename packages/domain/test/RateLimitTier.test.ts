import { assert, describe, it } from "@effect/vitest"
import { defaultRateLimits, peek, rateLimitTiers, take, type Window, windowMillis } from "@wcs/domain/RateLimitTier"
import * as fc from "fast-check"

const limit = fc.integer({ min: 1, max: 50 })
/** Calls, each so many milliseconds after the one before; a clock that is set back among them. */
const steps = fc.array(fc.integer({ min: -5_000, max: 20_000 }), { minLength: 1, maxLength: 150 })

/** What a sequence of calls is told. */
const play = (limit: number, steps: ReadonlyArray<number>) => {
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
  it("has the limits of section 6 of the decisions for a minute", () => {
    assert.deepStrictEqual(defaultRateLimits, {
      standard: 600,
      intensive: 60,
      unauthenticated: 120,
      tokenFailures: 30,
      tokensIssued: 60
    })
    assert.sameMembers(Object.keys(defaultRateLimits), [...rateLimitTiers])
    assert.strictEqual(windowMillis, 60_000)
  })

  it("RTL-02: in a burst `remaining` falls by one with each call, down to nothing, and then calls are refused", () => {
    fc.assert(
      fc.property(limit, (limit) => {
        const told = play(
          limit,
          Array.from({ length: limit + 3 }, () => 0)
        ).map(({ quota }) => quota)
        for (const [index, quota] of told.entries()) {
          assert.deepStrictEqual(quota, {
            limit,
            remaining: Math.max(0, limit - 1 - index),
            resetSeconds: 60,
            exceeded: index >= limit
          })
        }
      })
    )
  })

  it("RTL-02: `remaining` is never above `limit` and never below nothing", () => {
    fc.assert(
      fc.property(limit, steps, (limit, steps) => {
        for (const { peeked, quota } of play(limit, steps)) {
          for (const { remaining } of [peeked, quota]) assert.isTrue(remaining >= 0 && remaining <= limit)
        }
      })
    )
  })

  it("RTL-03: `reset` is whole seconds still to wait, 1 to 60, and then the limit is whole again", () => {
    fc.assert(
      fc.property(limit, steps, (limit, steps) => {
        for (const { after, now, quota } of play(limit, steps)) {
          assert.isTrue(Number.isInteger(quota.resetSeconds) && quota.resetSeconds >= 1 && quota.resetSeconds <= 60)
          const later = peek(after, limit, now + quota.resetSeconds * 1000)
          assert.deepStrictEqual([later.remaining, later.exceeded], [limit, false])
        }
      })
    )
  })

  it("RTL-05: a second before `reset` is over the limit is used up still", () => {
    fc.assert(
      fc.property(limit, fc.nat(59_999), (limit, passed) => {
        const told = play(limit, [...Array.from({ length: limit }, () => 0), passed]).at(-1)
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

  it("no window of a minute lets more calls through than the limit", () => {
    fc.assert(
      fc.property(limit, steps, (limit, steps) => {
        const accepted = new Map<number, number>()
        for (const { after, quota } of play(limit, steps)) {
          if (!quota.exceeded) accepted.set(after.startedAt, (accepted.get(after.startedAt) ?? 0) + 1)
        }
        for (const count of accepted.values()) assert.isAtMost(count, limit)
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
    assert.strictEqual(peek(window, 5, window.startedAt + offset).exceeded, exceeded)
  })
})
