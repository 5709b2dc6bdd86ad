import { assert, describe, it } from "@effect/vitest"
import { advance, type Mark, makeSettling, nothingSettled, type Settled } from "@wcs/domain/audit/SettledPosition"
import { Effect } from "effect"
import fc from "fast-check"

/** Steps of transactions and of the sealing worker. A writer takes a position some time before it commits. */
const anyStep = fc.oneof(
  fc.record({ step: fc.constant("begin" as const) }),
  fc.record({ step: fc.constantFrom("assign" as const, "end" as const), which: fc.nat(9) }),
  fc.record({ step: fc.constant("mark" as const), between: fc.array(fc.nat(9), { maxLength: 2 }) })
)

/** A writer that is open, and the positions that it was assigned. */
interface Writer {
  readonly id: string
  readonly positions: Array<number>
}

/** A model of a store with writers that commit in any order. */
const makeStore = () => {
  const open: Array<Writer> = []
  const visible: Array<number> = []
  let [ids, newest] = [0, 0]
  const end = (which: number) => {
    const [writer] = open.splice(which % Math.max(1, open.length), 1)
    visible.push(...(writer?.positions ?? []))
  }
  return {
    open,
    visible,
    begin: () => open.push({ id: `writer ${++ids}`, positions: [] }),
    assign: (which: number) => open[which % Math.max(1, open.length)]?.positions.push(++newest),
    end,
    /** Reads the newest position, and then the writers; some end in between. */
    mark: (between: ReadonlyArray<number>): Mark => {
      const position = newest
      for (const which of between) end(which)
      return { position, writers: open.map(({ id }) => id) }
    }
  }
}

describe("the settled position", () => {
  it("is never above an entry that becomes visible later", () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 60 }), (steps) => {
        const store = makeStore()
        let settled: Settled = nothingSettled
        for (const each of steps) {
          if (each.step === "begin") store.begin()
          if (each.step === "assign") store.assign(each.which)
          if (each.step === "end") store.end(each.which)
          if (each.step === "mark") settled = advance(settled, store.mark(each.between))
          for (const { positions } of store.open)
            for (const position of positions) assert.isAbove(position, settled.position)
        }
      }),
      { numRuns: 2000 }
    )
  })

  it("reaches the newest position when no transaction is open", () => {
    const busy = advance(nothingSettled, { position: 5, writers: ["a"] })
    assert.deepStrictEqual(busy, { position: nothingSettled.position, waiting: { position: 5, writers: ["a"] } })
    assert.deepStrictEqual(advance(busy, { position: 8, writers: [] }), { position: 8, waiting: undefined })
  })

  it("advances under constant load, one mark after the other", () => {
    const marks: ReadonlyArray<Mark> = [
      { position: 5, writers: ["a", "b"] },
      { position: 7, writers: ["b", "c"] },
      { position: 9, writers: ["c", "d"] },
      { position: 11, writers: ["e"] }
    ]
    const positions: Array<number> = []
    marks.reduce((settled, mark) => {
      const next = advance(settled, mark)
      positions.push(next.position)
      return next
    }, nothingSettled)
    assert.deepStrictEqual(positions.slice(1), [nothingSettled.position, 5, 9])
  })

  it("waits for a writer that stays open", () => {
    const first = advance(nothingSettled, { position: 5, writers: ["a"] })
    const later = advance(first, { position: 50, writers: ["a", "z"] })
    assert.deepStrictEqual(later, first)
  })

  it.effect("takes the marks of concurrent calls in the order in which they are read", () =>
    Effect.gen(function* () {
      let [reading, reads] = [0, 0]
      const settle = yield* makeSettling(
        Effect.gen(function* () {
          assert.strictEqual(++reading, 1, "another call reads a mark")
          yield* Effect.yieldNow
          reading--
          return { position: ++reads, writers: [] }
        })
      )
      const positions = yield* Effect.all(
        Array.from({ length: 5 }, () => settle),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(positions, [1, 2, 3, 4, 5])
    })
  )
})
