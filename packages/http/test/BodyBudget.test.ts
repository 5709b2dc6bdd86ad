import { assert, describe, it } from "@effect/vitest"
import * as BodyBudget from "@wcs/http/request/BodyBudget"
import * as fc from "fast-check"

const limits: BodyBudget.BodyLimits = { callerBytes: 10, totalBytes: 25 }

describe("threat 43: the budget of request bodies", () => {
  it("refuses bytes over the limit of a caller and accepts those of others", () => {
    const budget = BodyBudget.make(limits)
    const [one, again, other] = [budget.open(["one"]), budget.open(["one"]), budget.open(["other"])]
    assert.isTrue(one.take(6))
    assert.isFalse(again.take(5))
    assert.isTrue(again.take(4))
    assert.isTrue(other.take(10))
  })

  it("refuses bytes over the total limit for any number of callers", () => {
    const budget = BodyBudget.make(limits)
    assert.isTrue(budget.open(["one"]).take(10))
    assert.isTrue(budget.open(["two"]).take(10))
    const third = budget.open(["three"])
    assert.isFalse(third.take(6))
    assert.isTrue(third.take(5))
  })

  it("refuses bytes over a quarter of the total for one tenant or one network, and accepts those of others", () => {
    const budget = BodyBudget.make({ callerBytes: 10, totalBytes: 100 })
    const user = (tenantId: string, rateLimitKey: string) =>
      budget.open(BodyBudget.payersOf({ tenantId, rateLimitKey }, "198.51.100.1")).take(10)
    const stranger = (address: string) => budget.open(BodyBudget.payersOf(undefined, address)).take(10)
    assert.deepStrictEqual([user("acme", "a"), user("acme", "b"), user("acme", "c")], [true, true, false])
    assert.isTrue(user("other", "d"))
    const networks = ["2001:db8:7:100::/64", "2001:db8:7:200::/64", "2001:db8:7:300::/64", "2001:db8:8::/64"]
    assert.deepStrictEqual(networks.map(stranger), [true, true, false, true])
    assert.deepStrictEqual(["192.0.2.1", "192.0.2.2", "192.0.2.3"].map(stranger), [true, true, false])
    assert.isTrue(stranger("203.0.113.1"))
  })

  it("is empty after every share is released", () => {
    const step = fc.record({ caller: fc.constantFrom("one", "two", "three"), bytes: fc.integer({ min: 0, max: 12 }) })
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const budget = BodyBudget.make(limits)
        const shares = steps.map(({ bytes, caller }) => {
          const share = budget.open([caller])
          share.take(bytes)
          return share
        })
        for (const share of shares) {
          share.release()
          share.release()
        }
        for (const caller of ["one", "two"]) assert.isTrue(budget.open([caller]).take(10))
        assert.isTrue(budget.open(["three"]).take(5))
        assert.isFalse(budget.open(["four"]).take(1))
      })
    )
  })
})
