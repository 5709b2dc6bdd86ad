import { assert, describe, it } from "@effect/vitest"
import { type Call, isLinearizable, type Model, overlap, timeline } from "@wcs/conformance/calls/Linearizability"
import fc from "fast-check"

/** A register that can be set only while it is empty. */
type Operation = { readonly set: string; readonly won: boolean | undefined } | { readonly read: string }

const model: Model<string, Operation> = {
  next: (state, operation) => {
    if ("read" in operation) return operation.read === state ? [state] : []
    const isFree = state === ""
    if (operation.won === undefined) return [isFree ? operation.set : state]
    return operation.won === isFree ? [isFree ? operation.set : state] : []
  },
  keyOf: (state) => state
}

const call = (operation: Operation, sent: number, answeredAfter: number | undefined): Call<Operation> => ({
  operation,
  sent,
  answeredAfter
})

const set = (what: string, won: boolean | undefined): Operation => ({ set: what, won })

/** Decides the same by brute force: every order of every choice of unanswered calls. */
const byBruteForce = (history: ReadonlyArray<Call<Operation>>): boolean => {
  const orders = (left: ReadonlyArray<Call<Operation>>, states: ReadonlyArray<string>): boolean => {
    if (states.length === 0) return false
    if (left.every(({ answeredAfter }) => answeredAfter === undefined)) return true
    return left.some((one) => {
      const others = left.filter((other) => other !== one)
      const isLate = others.some(({ answeredAfter }) => answeredAfter !== undefined && answeredAfter < one.sent)
      return (
        !isLate &&
        orders(
          others,
          states.flatMap((state) => model.next(state, one.operation))
        )
      )
    })
  }
  return orders(history, [""])
}

describe("a history", () => {
  it("OWN-19: is linearizable when some order of the concurrent calls explains it", () => {
    assert.isTrue(isLinearizable(model, "", [call(set("a", false), 1, 2), call(set("b", true), 2, 2)]))
    assert.isTrue(isLinearizable(model, "", [call(set("a", true), 1, 2), call({ read: "" }, 2, 2)]))
  })

  it("OWN-17: is not linearizable when two links win, or none", () => {
    assert.isFalse(isLinearizable(model, "", [call(set("a", true), 1, 2), call(set("b", true), 2, 2)]))
    assert.isFalse(isLinearizable(model, "", [call(set("a", false), 1, 2), call(set("b", false), 2, 2)]))
  })

  it("OWN-19: is not linearizable when a read shows an outdated state", () => {
    assert.isFalse(isLinearizable(model, "", [call(set("a", true), 1, 1), call({ read: "" }, 2, 2)]))
  })

  it("OWN-19: may execute a lost call at any later point, or never", () => {
    const lost = call(set("a", undefined), 1, undefined)
    assert.isTrue(isLinearizable(model, "", [lost, call({ read: "a" }, 2, 2)]))
    assert.isTrue(isLinearizable(model, "", [lost, call({ read: "" }, 2, 2)]))
    assert.isTrue(isLinearizable(model, "", [lost, call({ read: "" }, 2, 2), call({ read: "a" }, 3, 3)]))
    assert.isFalse(isLinearizable(model, "", [lost, call({ read: "a" }, 2, 2), call({ read: "" }, 3, 3)]))
  })

  it("OWN-23: must lead to an accepted final state", () => {
    const history = [call(set("a", undefined), 1, 2), call(set("b", undefined), 2, 2)]
    assert.isTrue(isLinearizable(model, "", history, (end) => end === "b"))
    assert.isFalse(isLinearizable(model, "", history, (end) => end === "c"))
  })

  it("OWN-19: is linearizable exactly when trying every order finds one", () => {
    const won = fc.constantFrom(true, false, undefined)
    const operation: fc.Arbitrary<Operation> = fc.oneof(
      fc.record({ set: fc.constantFrom("a", "b"), won }),
      fc.record({ read: fc.constantFrom("", "a", "b") })
    )
    const length = fc.oneof({ weight: 4, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.constant(undefined) })
    const drawn = fc.array(fc.record({ operation, length }), { minLength: 1, maxLength: 6 })
    let explained = 0
    fc.assert(
      fc.property(drawn, (calls) => {
        const history = calls.map(({ length, operation }, index) =>
          call(operation, index, length === undefined ? undefined : index + length)
        )
        if (byBruteForce(history)) explained += 1
        assert.strictEqual(isLinearizable(model, "", history), byBruteForce(history))
      }),
      { numRuns: 500 }
    )
    assert.isAbove(explained, 50)
    assert.isBelow(explained, 450)
  })

  it("finds overlapping calls and draws a timeline", () => {
    const [first, second, third] = [
      call(set("a", true), 4, 5),
      call({ read: "" }, 5, 5),
      call({ read: "a" }, 6, undefined)
    ] as const
    assert.isTrue(overlap(first, second))
    assert.isFalse(overlap(first, third))
    assert.deepStrictEqual(
      timeline([third, first, second], (operation) => JSON.stringify(operation)),
      ['|-----|         {"set":"a","won":true}', '   |--|         {"read":""}', '         |----> {"read":"a"}']
    )
  })
})
