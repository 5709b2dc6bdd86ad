import { assert, layer } from "@effect/vitest"
import {
  boundBy,
  defaultRateLimits,
  peek,
  perMinute,
  type RateLimit,
  RateLimiter,
  type RateLimits,
  type RateLimitTier,
  take,
  takeBoth,
  type Window
} from "@wcs/domain/access/RateLimitTier"
import { Clock, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { digits, start } from "../Fixtures.ts"
import { check } from "../Property.ts"

const limits: RateLimits = { ...defaultRateLimits, standard: 3, intensive: 2, tenantStandard: 6, tenantIntensive: 3 }

const takeOne = (tier: RateLimitTier, key: string, own?: RateLimit | null) =>
  RateLimiter.use((limiter) => limiter.take(tier, key, own))
const peekAt = (tier: RateLimitTier, key: string, own?: RateLimit | null) =>
  RateLimiter.use((limiter) => limiter.peek(tier, key, own))

/** Counts a call of a key and of the tenant of that key. */
const takeForTenant = (tier: "standard" | "intensive", key: string, tenant: string, own: RateLimit | null = null) =>
  Effect.gen(function* () {
    const limiter = yield* RateLimiter
    const now = yield* Clock.currentTimeMillis
    return yield* limiter.takeBoth({ tier, key, own }, { tier: tenantTier[tier], key: tenant, own: null }, now)
  })

const tenantTier = { standard: "tenantStandard", intensive: "tenantIntensive" } as const

/**
 * A step: the clock moves by this many milliseconds, possibly back; then a call is counted, counted for the tenant too,
 * or peeked at.
 */
interface Step {
  readonly millis: number
  readonly key: keyof typeof owns
  readonly tier: "standard" | "intensive"
  readonly does: "take" | "takeBoth" | "peek"
}

/** An account's own limits: none, lower in both tiers, lower in one, higher than any. */
const owns = {
  one: null,
  two: { calls: 2, windowSeconds: 120 },
  three: { calls: 1, windowSeconds: 25 },
  four: { calls: 5, windowSeconds: 20 }
} as const

const step: fc.Arbitrary<Step> = fc.record({
  millis: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(0, 1, 20_000) },
    { weight: 1, arbitrary: fc.constantFrom(59_999, 60_000, -1, -30_000, -61_000) }
  ),
  key: fc.constantFrom("one", "two", "three", "four"),
  tier: fc.constantFrom("standard", "intensive"),
  does: fc.constantFrom("take", "takeBoth", "takeBoth", "peek")
})

/** Runs the steps with keys of their own and compares them with the pure rule. */
const runProgram = Effect.fnUntraced(function* (program: ReadonlyArray<Step>) {
  const run = digits()
  const windows = new Map<string, Window>()
  yield* TestClock.setTime(start)
  for (const { does, key, millis, tier } of program) {
    yield* TestClock.setTime((yield* Clock.currentTimeMillis) + millis)
    const now = yield* Clock.currentTimeMillis
    const slot = `${tier} ${key}`
    const limit = boundBy(perMinute(limits[tier]), owns[key])
    if (does === "takeBoth") {
      const tenant = tenantTier[tier]
      const counted = takeBoth(
        { window: windows.get(slot), limit },
        { window: windows.get(tenant), limit: perMinute(limits[tenant]) },
        now
      )
      if (counted.windows !== null) windows.set(slot, counted.windows[0]).set(tenant, counted.windows[1])
      assert.deepStrictEqual(yield* takeForTenant(tier, run + key, run, owns[key]), counted.quota)
      continue
    }
    if (does === "peek") {
      assert.deepStrictEqual(yield* peekAt(tier, run + key, owns[key]), peek(windows.get(slot), limit, now))
      continue
    }
    const expected = take(windows.get(slot), limit, now)
    windows.set(slot, expected.window)
    assert.deepStrictEqual(yield* takeOne(tier, run + key, owns[key]), expected.quota)
  }
})

/** Tests the contract of `RateLimiter`, which must use Effect's clock. Each test has its own keys. */
export const rateLimiterSuite = <E>(
  name: string,
  layerOf: (limits: RateLimits) => Layer.Layer<RateLimiter, E>
): void => {
  layer(layerOf(limits))(name, (it) => {
    it.effect(
      "RTL-02, RTL-04, RTL-05, RTL-06: equals the pure rule for any keys, tiers, own limits and clock, also one that is set back",
      () => check(fc.array(step, { maxLength: 40 }), runProgram)
    )
  })
}
