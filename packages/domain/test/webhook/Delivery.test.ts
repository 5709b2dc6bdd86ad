import { assert, describe, it } from "@effect/vitest"
import {
  type AttemptResult,
  afterAttempt,
  attemptFaults,
  type Delivery,
  deliveryStates,
  documentOf,
  isGone,
  isTaken,
  skipped,
  takes
} from "@wcs/domain/webhook/Delivery"
import { DeliverySettings, longestRetryAfterMillis, nextAttemptAt } from "@wcs/domain/webhook/DeliverySchedule"
import { Effect } from "effect"
import * as fc from "fast-check"
import { deliveries, delivery, now } from "./DeliveryFixtures.ts"

const { retryDelaysMillis } = Effect.runSync(DeliverySettings)
const [second, minute, hour] = [1000, 60_000, 3_600_000]

const answered = (status: number, retryAfterMillis: number | null = null, excerpt = ""): AttemptResult => ({
  _tag: "Answered",
  status,
  retryAfterMillis,
  excerpt
})

const results: fc.Arbitrary<AttemptResult> = fc.oneof(
  fc
    .record({
      status: fc.integer({ min: 100, max: 599 }),
      retryAfterMillis: fc.option(fc.nat({ max: 100 * hour })),
      excerpt: fc.string({ unit: "binary" })
    })
    .map((answer) => ({ _tag: "Answered", ...answer }) as const),
  fc.constantFrom(...attemptFaults).map((fault) => ({ _tag: "Unanswered", fault }) as const)
)

const attempted = (before: Delivery, result: AttemptResult, jitter = 0, delays = retryDelaysMillis) =>
  afterAttempt(before, result, { at: now - 7, durationMillis: 7 }, delays, now, jitter)

describe("the next attempt of a delivery", () => {
  it("is due 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h after each failure, then never", () => {
    assert.deepStrictEqual(retryDelaysMillis, [
      5 * second,
      5 * minute,
      30 * minute,
      ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour)
    ])
    for (const [index, delay] of retryDelaysMillis.entries()) {
      assert.strictEqual(nextAttemptAt(retryDelaysMillis, index + 1, now, 0, null), now + delay)
    }
    assert.isUndefined(nextAttemptAt(retryDelaysMillis, retryDelaysMillis.length + 1, now, 0, null))
  })

  it("is at most a tenth later than its delay, and honours Retry-After up to a day", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: retryDelaysMillis.length }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.option(fc.nat({ max: 100 * hour })),
        (failures, jitter, asked) => {
          const at = nextAttemptAt(retryDelaysMillis, failures, now, jitter, asked) ?? 0
          const delay = retryDelaysMillis[failures - 1] ?? 0
          const heeded = Math.min(asked ?? 0, longestRetryAfterMillis)
          assert.isAtLeast(at, now + Math.max(delay, heeded))
          assert.isAtMost(at, now + Math.max(Math.ceil(delay * 1.1), heeded))
          assert.isTrue(Number.isSafeInteger(at))
        }
      )
    )
  })
})

describe("a delivery after an attempt", () => {
  it("has the attempt with number, time and status, keeps the latest 20 attempts, and keeps its bytes", () => {
    fc.assert(
      fc.property(deliveries, results, fc.double({ min: 0, max: 1, noNaN: true }), (before, result, jitter) => {
        const next = attempted(before, result, jitter)
        const { id, tenantId, webhookId, eventId, kind, correlationId, body, createdAt } = before
        assert.deepInclude(next, { id, tenantId, webhookId, eventId, kind, correlationId, body, createdAt })
        assert.strictEqual(next.attemptCount, before.attemptCount + 1)
        assert.deepStrictEqual(next.attempts.slice(0, -1), before.attempts.slice(-19))
        assert.deepStrictEqual(next.attempts.at(-1), {
          number: next.attemptCount,
          at: "2026-01-31T09:29:59.993Z",
          durationMillis: 7,
          responseStatus: result._tag === "Answered" ? result.status : null,
          fault: result._tag === "Unanswered" ? result.fault : null
        })
      })
    )
  })

  it("is finished when delivered or exhausted, and due later otherwise", () => {
    fc.assert(
      fc.property(deliveries, results, (before, result) => {
        const next = attempted(before, result)
        assert.include(["DELIVERED", "EXHAUSTED", "FAILED_RETRYABLE"], next.state)
        assert.strictEqual(next.state === "FAILED_RETRYABLE", next.dueAt !== null)
        assert.strictEqual(next.state === "DELIVERED", isTaken(result))
        assert.strictEqual(next.failures, isTaken(result) ? 0 : before.failures + 1)
        if (next.dueAt !== null) assert.isAbove(next.dueAt, now)
      })
    )
  })

  const table: ReadonlyArray<readonly [AttemptResult, number, Delivery["state"], number | null]> = [
    [answered(200), 0, "DELIVERED", null],
    [answered(299), 3, "DELIVERED", null],
    [answered(302), 0, "FAILED_RETRYABLE", 5 * second],
    [answered(400), 0, "FAILED_RETRYABLE", 5 * second],
    [answered(500), 1, "FAILED_RETRYABLE", 5 * minute],
    [answered(500), 9, "EXHAUSTED", null],
    [answered(410), 0, "EXHAUSTED", null],
    [answered(429, 9000), 0, "FAILED_RETRYABLE", 9 * second],
    [answered(503, 9000), 0, "FAILED_RETRYABLE", 9 * second],
    [answered(503, 1000), 0, "FAILED_RETRYABLE", 5 * second],
    [answered(503, 1000 * hour), 0, "FAILED_RETRYABLE", 24 * hour],
    [answered(500, 9000), 0, "FAILED_RETRYABLE", 5 * second],
    [answered(429, 9000), 9, "EXHAUSTED", null],
    [{ _tag: "Unanswered", fault: "TIMEOUT" }, 2, "FAILED_RETRYABLE", 30 * minute],
    [{ _tag: "Unanswered", fault: "ADDRESS_REFUSED" }, 9, "EXHAUSTED", null]
  ]
  it.each(table)("%o after %i failures is %s", (result, failures, state, delay) => {
    const next = attempted(delivery({ failures }), result)
    assert.strictEqual(next.state, state)
    assert.strictEqual(next.dueAt, delay === null ? null : now + delay)
    assert.strictEqual(next.deliveredAt, state === "DELIVERED" ? now : null)
  })

  it("keeps only text that every store can store", () => {
    const excerpt = "a\u0000b\ud83d"
    assert.strictEqual(attempted(delivery(), answered(500, null, excerpt)).lastResponse, "a\ufffdb\ufffd")
    assert.isNull(
      attempted(delivery({ lastResponse: "before" }), { _tag: "Unanswered", fault: "TIMEOUT" }).lastResponse
    )
  })

  it("shows neither its body nor its tenant", () => {
    const shown = documentOf(delivery({ body: "secret", attemptCount: 1, lastResponse: "no" }))
    assert.notProperty(shown, "body")
    assert.notProperty(shown, "tenantId")
    assert.deepInclude(shown, { type: "delivery", state: "PENDING", nextAttemptAt: "2026-01-31T09:30:00.000Z" })
  })
})

describe("the deliveries that a webhook takes", () => {
  it("are all for an active webhook, pings only for a disabled one, and none for a deleted one", () => {
    for (const status of ["DISABLED", "AUTO_DISABLED"] as const) {
      assert.isFalse(takes({ status }, "credential.verified"))
      assert.isTrue(takes({ status }, "webhook.test"))
    }
    assert.isTrue(takes({ status: "ACTIVE" }, "credential.verified"))
    assert.isFalse(takes(undefined, "webhook.test"))
  })

  it("a skipped delivery is finished in any state, without counting an attempt", () => {
    for (const state of deliveryStates) {
      const before = delivery({ state, attemptCount: 3 })
      assert.deepStrictEqual(skipped(before), { ...before, state: "SKIPPED_DISABLED", dueAt: null })
    }
  })

  it("only 410 means that the receiver is gone", () => {
    fc.assert(
      fc.property(results, (result) => {
        assert.strictEqual(isGone(result), result._tag === "Answered" && result.status === 410)
      })
    )
  })
})
