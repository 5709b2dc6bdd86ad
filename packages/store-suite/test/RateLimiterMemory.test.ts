import { assert, describe, it } from "@effect/vitest"
import * as RateLimiterMemory from "@wcs/domain/access/RateLimiterMemory"
import { defaultRateLimits, RateLimiter } from "@wcs/domain/access/RateLimitTier"
import { rateLimiterSuite } from "@wcs/store-suite/access/RateLimiterSuite"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

rateLimiterSuite("RateLimiterMemory", RateLimiterMemory.layer)

describe("the limit of RateLimiterMemory", () => {
  // Each test needs its own limiter.
  const layer = Layer.fresh(RateLimiterMemory.layer({ ...defaultRateLimits, standard: 3, tenantStandard: 6 }))

  const takeOne = (key: string) => RateLimiter.use((limiter) => limiter.take("standard", key))
  const remaining = (key: string) =>
    RateLimiter.use((limiter) => Effect.map(limiter.peek("standard", key), (quota) => quota.remaining))
  const fill = Effect.fnUntraced(function* (name: string, count: number) {
    for (let index = 0; index < count; index++) yield* takeOne(`${name} ${index}`)
  })

  it.effect("threat 43: gives the last calls of a tenant to some of several concurrent keys, and counts no other", () =>
    Effect.gen(function* () {
      const { takeBoth } = yield* RateLimiter
      const now = yield* Clock.currentTimeMillis
      const tenant = { tier: "tenantStandard", key: "tenant", own: null } as const
      const keys = Array.from({ length: 20 }, (_, index) => `key ${index}`)
      const call = (key: string) =>
        Effect.flatMap(Effect.yieldNow, () => takeBoth({ tier: "standard", key, own: null }, tenant, now))
      const quotas = yield* Effect.forEach(keys, call, { concurrency: "unbounded" })
      assert.lengthOf(
        quotas.filter(({ exceeded }) => !exceeded),
        6
      )
      assert.deepStrictEqual(
        yield* Effect.forEach(keys, remaining),
        quotas.map(({ exceeded }) => (exceeded ? 3 : 2))
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("forgets the oldest window to make room for a new one", () =>
    Effect.gen(function* () {
      yield* takeOne("first")
      yield* takeOne("second")
      yield* fill("filler", RateLimiterMemory.maxKeys - 2)
      yield* takeOne("first")
      assert.strictEqual(yield* remaining("first"), 1, "full, and nothing was forgotten")
      yield* takeOne("one more")
      assert.deepStrictEqual([yield* remaining("first"), yield* remaining("second")], [3, 2])
      assert.strictEqual(yield* remaining("one more"), 2)
    }).pipe(Effect.provide(layer))
  )

  it.effect("forgets no open window while there is a finished one", () =>
    Effect.gen(function* () {
      yield* takeOne("again")
      yield* fill("old", 10)
      yield* TestClock.adjust("1 minute")
      yield* takeOne("again")
      yield* fill("young", RateLimiterMemory.maxKeys - 11)
      yield* fill("one more", 10)
      assert.strictEqual(yield* remaining("again"), 2, "a new window, because the others had ended")
      assert.strictEqual(yield* remaining("young 0"), 2)
      yield* takeOne("one too many")
      assert.strictEqual(yield* remaining("again"), 3)
      assert.strictEqual(yield* remaining("young 0"), 2)
    }).pipe(Effect.provide(layer))
  )
})
