import { assert, describe, it } from "@effect/vitest"
import { type Call, explain, type SequentialModel } from "@wcs/store-suite/ownership/Linearizability"
import fc from "fast-check"

type Operation = { readonly _tag: "Write"; readonly value: number } | { readonly _tag: "Read" }

/** A register with a number. */
const register: SequentialModel<number, Operation> = {
  step: (state, operation) =>
    operation._tag === "Write" ? { state: operation.value, answer: "ok" } : { state, answer: String(state) },
  keyOf: String
}

/** The same, with reads marked as idle. */
const idling: SequentialModel<number, Operation> = { ...register, isIdle: ({ _tag }) => _tag === "Read" }

const write = (value: number, invokedAt: number, answeredAt: number): Call<Operation> => ({
  operation: { _tag: "Write", value },
  answer: "ok",
  invokedAt,
  answeredAt
})

const read = (value: number, invokedAt: number, answeredAt: number): Call<Operation> => ({
  operation: { _tag: "Read" },
  answer: String(value),
  invokedAt,
  answeredAt
})

const isLinearizable = (...history: ReadonlyArray<Call<Operation>>): boolean =>
  explain(register, 0, history) !== undefined

describe("explain", () => {
  it("finds the only order of sequential calls", () => {
    assert.isTrue(isLinearizable())
    assert.isTrue(isLinearizable(write(1, 0, 1), read(1, 2, 3), write(2, 4, 5), read(2, 6, 7)))
    assert.isFalse(isLinearizable(write(1, 0, 1), read(0, 2, 3)), "a stale read")
    assert.isFalse(isLinearizable(read(1, 0, 1), write(1, 2, 3)), "a read from the future")
    assert.isFalse(isLinearizable(write(1, 0, 1), write(2, 2, 3), read(1, 4, 5)), "a lost write")
  })

  it("lets overlapping calls take effect in either order", () => {
    assert.isTrue(isLinearizable(write(1, 0, 9), read(0, 1, 2), read(1, 3, 4)))
    assert.isTrue(isLinearizable(write(1, 0, 9), write(2, 1, 8), read(1, 10, 11)))
    assert.isTrue(isLinearizable(write(1, 0, 9), write(2, 1, 8), read(2, 10, 11)))
  })

  it("rejects answers of overlapping calls that no single order explains", () => {
    assert.isFalse(isLinearizable(write(1, 0, 9), read(1, 1, 2), read(0, 3, 4)), "the value comes and goes")
    const both = [write(1, 0, 9), write(2, 1, 8)]
    assert.isFalse(isLinearizable(...both, read(0, 10, 11)), "neither write took place")
    assert.isFalse(isLinearizable(...both, read(1, 10, 11), read(2, 12, 13)), "two readers disagree")
    assert.isFalse(isLinearizable(...both, read(1, 2, 3), read(2, 4, 5), read(1, 10, 11)), "a write twice")
  })

  it("requires the order to end in the final state", () => {
    const history = [write(1, 0, 9), write(2, 1, 8)]
    assert.strictEqual(explain(register, 0, history, (state) => state === 1)?.end, 1)
    assert.strictEqual(explain(register, 0, history, (state) => state === 2)?.end, 2)
    assert.isUndefined(explain(register, 0, history, (state) => state === 0))
  })

  it("returns the order found, with each call between its invocation and its answer", () => {
    const [late, early] = [write(1, 0, 9), read(0, 1, 2)]
    assert.deepStrictEqual(explain(register, 0, [late, early])?.order, [early, late])
  })

  /** Callers with a random effective moment for each call, between its beginning and its end. */
  const histories = fc
    .array(
      fc.record({ value: fc.integer({ min: 0, max: 3 }), isRead: fc.boolean(), lead: fc.nat(5), lag: fc.nat(5) }),
      { maxLength: 9 }
    )
    .map((drawn) => {
      let state = 0
      return drawn.map(({ isRead, lag, lead, value }, index): Call<Operation> => {
        const moment = index * 2
        const operation: Operation = isRead ? { _tag: "Read" } : { _tag: "Write", value }
        const next = register.step(state, operation)
        state = next.state
        return { operation, answer: next.answer, invokedAt: moment - lead - 0.25, answeredAt: moment + lag + 0.5 }
      })
    })

  it.each([register, idling])(
    "finds an order for every history that was made from an order, with any overlaps",
    (model) => {
      fc.assert(fc.property(histories, (history) => explain(model, 0, history) !== undefined))
    }
  )

  it("does not try orders that differ only in the positions of calls without effect", () => {
    const reads = Array.from({ length: 12 }, () => read(0, 0, 9))
    const impossible = [...reads, write(1, 0, 9), read(2, 0, 9)]
    const stepsOf = (model: SequentialModel<number, Operation>): number => {
      let steps = 0
      const step = (state: number, operation: Operation) => {
        steps++
        return model.step(state, operation)
      }
      assert.isUndefined(explain({ ...model, step }, 0, impossible))
      return steps
    }
    assert.isBelow(stepsOf(idling), 300)
    assert.isAbove(stepsOf(register), 2 ** 12)
  })

  it.each([register, idling])("agrees with a search of all orders", (model) => {
    const spoilt = fc
      .tuple(histories, fc.nat(), fc.integer({ min: 0, max: 3 }))
      .map(([history, place, value]) =>
        history
          .slice(0, 6)
          .map((call, index, { length }) =>
            index === place % length && call.operation._tag === "Read" ? { ...call, answer: String(value) } : call
          )
      )
    const seen = { explained: 0, unexplained: 0 }
    fc.assert(
      fc.property(spoilt, (history) => {
        const expected = isExplainedBySomeOrder(history)
        seen[expected ? "explained" : "unexplained"]++
        assert.strictEqual(explain(model, 0, history) !== undefined, expected)
      }),
      { numRuns: 500 }
    )
    assert.isAbove(seen.explained, 50)
    assert.isAbove(seen.unexplained, 10)
  })
})

/** The definition: some order of all calls gives the same answers and respects real time. */
const isExplainedBySomeOrder = (history: ReadonlyArray<Call<Operation>>): boolean => {
  const search = (state: number, rest: ReadonlyArray<Call<Operation>>): boolean =>
    rest.length === 0 ||
    rest.some((call) => {
      const others = rest.filter((other) => other !== call)
      if (others.some((other) => other.answeredAt < call.invokedAt)) return false
      const next = register.step(state, call.operation)
      return next.answer === call.answer && search(next.state, others)
    })
  return search(0, history)
}
