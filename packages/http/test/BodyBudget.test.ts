import { assert, describe, it } from "@effect/vitest"
import * as BodyBudget from "@wcs/http/request/BodyBudget"
import * as fc from "fast-check"

const limits: BodyBudget.BodyLimits = { callerBytes: 10, totalBytes: 25 }

describe("threat 43: the budget of request bodies", () => {
  it("refuses bytes over the limit of a caller and accepts those of others", () => {
    const budget = BodyBudget.make(limits)
    const [one, again, other] = [budget.open("one"), budget.open("one"), budget.open("other")]
    assert.isTrue(one.take(6))
    assert.isFalse(again.take(5))
    assert.isTrue(again.take(4))
    assert.isTrue(other.take(10))
  })

  it("refuses bytes over the total limit for any number of callers", () => {
    const budget = BodyBudget.make(limits)
    assert.isTrue(budget.open("one").take(10))
    assert.isTrue(budget.open("two").take(10))
    const third = budget.open("three")
    assert.isFalse(third.take(6))
    assert.isTrue(third.take(5))
  })

  it("is empty after every share is released", () => {
    const step = fc.record({ caller: fc.constantFrom("one", "two", "three"), bytes: fc.integer({ min: 0, max: 12 }) })
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const budget = BodyBudget.make(limits)
        const shares = steps.map(({ bytes, caller }) => {
          const share = budget.open(caller)
          share.take(bytes)
          return share
        })
        for (const share of shares) {
          share.release()
          share.release()
        }
        for (const caller of ["one", "two"]) assert.isTrue(budget.open(caller).take(10))
        assert.isTrue(budget.open("three").take(5))
        assert.isFalse(budget.open("four").take(1))
      })
    )
  })
})
