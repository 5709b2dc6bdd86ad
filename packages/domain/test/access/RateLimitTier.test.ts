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
  takeBoth,
  type Window
} from "@wcs/domain/access/RateLimitTier"
import * as fc from "fast-check"

/** A tier's limit or an account's own, with windows of a second, a minute or an hour. */
const limit: fc.Arbitrary<RateLimit> = fc.record({
  calls: fc.integer({ min: 1, max: 50 }),
  windowSeconds: fc.oneof(fc.constantFrom(1, 60, 3600), fc.integer({ min: 1, max: 120 }))
})
/** Delays between calls in milliseconds, negative when the clock is set back. */
const steps = fc.array(fc.integer({ min: -5_000, max: 20_000 }), { minLength: 1, maxLength: 150 })

/** The quotas of a sequence of calls. */
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
  it("has the limits per minute of DECISIONS.md#access", () => {
    assert.deepStrictEqual(defaultRateLimits, {
      standard: 600,
      intensive: 60,
      tenantStandard: 6000,
      tenantIntensive: 600,
      unauthenticated: 120,
      tokenFailures: 30,
      addressFailures: 300,
      networkFailures: 1200,
      loginFailures: 10,
      tokensIssued: 60,
      sourceQuestions: 600,
      answerLinks: 60,
      answerPages: 1200
    })
    assert.sameMembers(Object.keys(defaultRateLimits), [...rateLimitTiers])
    assert.deepStrictEqual(perMinute(600), { calls: 600, windowSeconds: 60 })
  })

  it("RTL-02: `remaining` falls by one per call in a burst until calls are refused", () => {
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

  it("RTL-02: `remaining` is between 0 and `limit`", () => {
    fc.assert(
      fc.property(limit, steps, (limit, steps) => {
        for (const { peeked, quota } of play(limit, steps)) {
          for (const { remaining } of [peeked, quota]) assert.isTrue(remaining >= 0 && remaining <= limit.calls)
        }
      })
    )
  })

  it("RTL-03: `reset` is the whole seconds until the full limit is available, from 1 to the window", () => {
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

  it("RTL-05: the limit stays used up until the second of `reset`", () => {
    fc.assert(
      fc.property(limit, fc.nat(3_599_999), (limit, later) => {
        const passed = later % (limit.windowSeconds * 1000)
        const told = play(limit, [...Array.from({ length: limit.calls }, () => 0), passed]).at(-1)
        assert.isTrue(told?.quota.exceeded)
        const { after, now, quota } = told ?? assert.fail("no call was made")
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

  /** Calls by one of four keys, and the time since the call before. */
  const callsOfTenant = fc.array(fc.record({ key: fc.nat(3), step: fc.integer({ min: -5_000, max: 20_000 }) }), {
    minLength: 1,
    maxLength: 150
  })

  /** The quotas of calls that count by key and for the tenant. */
  const playBoth = (
    own: RateLimit,
    tenant: RateLimit,
    calls: ReadonlyArray<{ readonly key: number; readonly step: number }>
  ) => {
    const windows = new Map<number | "tenant", Window>()
    let now = 1_700_000_000_000
    return calls.map(({ key, step }) => {
      now += step
      const mine = { window: windows.get(key), limit: own }
      const whole = { window: windows.get("tenant"), limit: tenant }
      const { quota, windows: after } = takeBoth(mine, whole, now)
      if (after !== null) windows.set(key, after[0]).set("tenant", after[1])
      return { now, after, quota, peeked: [peek(mine.window, own, now), peek(whole.window, tenant, now)] as const }
    })
  }

  it("threat 43: the keys of a tenant never get more calls of a window than the tenant's limit", () => {
    fc.assert(
      fc.property(limit, limit, callsOfTenant, (own, tenant, calls) => {
        const accepted = new Map<number, number>()
        for (const { after } of playBoth(own, tenant, calls)) {
          if (after === null) continue
          const { startedAt } = after[1]
          accepted.set(startedAt, (accepted.get(startedAt) ?? 0) + 1)
        }
        for (const count of accepted.values()) assert.isAtMost(count, tenant.calls)
      })
    )
  })

  it("RTL-06: a call that one of two windows refuses counts in neither", () => {
    fc.assert(
      fc.property(limit, limit, callsOfTenant, (own, tenant, calls) => {
        for (const { after, peeked, quota } of playBoth(own, tenant, calls)) {
          assert.strictEqual(quota.exceeded, peeked[0].exceeded || peeked[1].exceeded)
          assert.strictEqual(after === null, quota.exceeded)
        }
      })
    )
  })

  it("RTL-02, RTL-03, RTL-05: two windows show the fewest calls left, and after a refusal the longest wait", () => {
    fc.assert(
      fc.property(limit, limit, callsOfTenant, (own, tenant, calls) => {
        for (const { peeked, quota } of playBoth(own, tenant, calls)) {
          assert.isAtMost(quota.remaining, quota.limit)
          const left = Math.min(peeked[0].remaining, peeked[1].remaining)
          const waits = peeked.filter(({ exceeded }) => exceeded).map(({ resetSeconds }) => resetSeconds)
          assert.strictEqual(quota.remaining, quota.exceeded ? 0 : left - 1)
          if (quota.exceeded) assert.strictEqual(quota.resetSeconds, Math.max(...waits))
        }
      })
    )
  })

  it("a window never allows more calls than the limit", () => {
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

  it("`peek` counts nothing and predicts the next call", () => {
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
    ["is exceeded in its last millisecond", 59_999, true],
    ["is not exceeded after its minute", 60_000, false],
    ["is not exceeded when the clock is before its start", -1, false]
  ])("a used-up window %s", (_name, offset, exceeded) => {
    const window: Window = { startedAt: 1_700_000_000_000, used: 5 }
    assert.strictEqual(peek(window, perMinute(5), window.startedAt + offset).exceeded, exceeded)
  })

  const hundred = perMinute(100)

  it.each([
    ["absent: the tier's limit applies", null, hundred],
    ["lower: the own limit applies", perMinute(99), perMinute(99)],
    ["equal: the own limit applies", { calls: 100, windowSeconds: 60 }, { calls: 100, windowSeconds: 60 }],
    ["higher: the tier's limit applies", perMinute(101), hundred],
    [
      "equal in the long run with a shorter window: the own limit applies",
      { calls: 5, windowSeconds: 3 },
      { calls: 5, windowSeconds: 3 }
    ],
    ["higher in the long run with a shorter window: the tier's limit applies", { calls: 6, windowSeconds: 3 }, hundred],
    [
      "lower in the long run with a longer window: the own limit applies",
      { calls: 500, windowSeconds: 3600 },
      { calls: 500, windowSeconds: 3600 }
    ]
  ] as const)("RTL-07: an account's own limit that is %s", (_name, own, bound) => {
    assert.deepStrictEqual(boundBy(hundred, own), bound)
  })

  it("RTL-07: an account's own limit never allows more calls in the long run", () => {
    const rate = ({ calls, windowSeconds }: RateLimit) => calls / windowSeconds
    fc.assert(
      fc.property(limit, limit, (tier, own) => {
        assert.strictEqual(rate(boundBy(tier, own)), Math.min(rate(tier), rate(own)))
      })
    )
  })

  it("accepts 1 to 1000000 calls in 1 to 3600 seconds as an account's limit", () => {
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
