import { assert, describe, it } from "@effect/vitest"
import { afterAttempt, forgiven, initialHealth, isGivenUp } from "@wcs/domain/event/WebhookHealth"
import * as fc from "fast-check"

const now = Date.UTC(2026, 0, 31, 9, 30)
const day = 24 * 3_600_000

/** Successful and failed attempts at increasing times. */
const attempts = fc.array(fc.record({ succeeded: fc.boolean(), later: fc.nat({ max: day }) }), { maxLength: 80 })

describe("the health of a webhook", () => {
  it("counts failures since the last success and their start, and keeps the latest times and reason", () => {
    fc.assert(
      fc.property(attempts, (all) => {
        const made = all.map(({ succeeded }, index) => ({
          at: all.slice(0, index + 1).reduce((at, { later }) => at + later, now),
          succeeded,
          failure: succeeded ? null : `HTTP_${500 + index}`
        }))
        const health = made.reduce((before, { at, failure }) => afterAttempt(before, failure, at), initialHealth)
        const failing = made.slice(made.findLastIndex(({ succeeded }) => succeeded) + 1)
        assert.deepStrictEqual(health, {
          consecutiveFailures: failing.length,
          failingSince: failing[0]?.at ?? null,
          lastSuccessAt: made.findLast(({ succeeded }) => succeeded)?.at ?? null,
          lastFailureAt: made.findLast(({ succeeded }) => !succeeded)?.at ?? null,
          lastFailure: made.findLast(({ succeeded }) => !succeeded)?.failure ?? null
        })
      })
    )
  })

  it("is given up after 50 failures in a row and a day of failing, to the millisecond", () => {
    const failing = (count: number) => ({ ...initialHealth, consecutiveFailures: count, failingSince: now })
    assert.isTrue(isGivenUp(failing(50), now + day))
    assert.isFalse(isGivenUp(failing(49), now + day))
    assert.isFalse(isGivenUp(failing(50), now + day - 1))
    assert.isFalse(isGivenUp({ ...failing(50), failingSince: null }, now + day))
  })

  it("forgets its failures when the webhook is enabled, and keeps its times", () => {
    const health = {
      ...{ consecutiveFailures: 60, failingSince: now, lastSuccessAt: 1, lastFailureAt: now },
      lastFailure: "TIMEOUT"
    }
    assert.deepStrictEqual(forgiven(health), { ...health, consecutiveFailures: 0, failingSince: null })
    assert.isFalse(isGivenUp(forgiven(health), now + day))
  })
})
