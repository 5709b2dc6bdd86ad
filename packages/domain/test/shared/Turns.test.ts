import { assert, describe, it } from "@effect/vitest"
import { inTurns } from "@wcs/domain/shared/Turns"
import * as fc from "fast-check"

const queues = fc.array(fc.array(fc.nat(), { maxLength: 6 }), { maxLength: 6 })

describe("turns", () => {
  it("take the first of each, then the second of each, up to the limit", () => {
    assert.deepStrictEqual(inTurns([["a1", "a2", "a3"], ["b1"], [], ["c1", "c2"]], 5), ["a1", "b1", "c1", "a2", "c2"])
    assert.deepStrictEqual(inTurns([["a1", "a2"], ["b1"]], 9), ["a1", "b1", "a2"])
    assert.deepStrictEqual(inTurns([["a1"]], 0), [])
  })

  it("give nobody two more than another that still waits", () => {
    fc.assert(
      fc.property(queues, fc.nat({ max: 40 }), (all, limit) => {
        const named = all.map((queue, index) => queue.map((_, place) => ({ index, place })))
        const taken = inTurns(named, limit)
        assert.lengthOf(taken, Math.min(limit, all.flat().length))
        const counts = all.map((_, index) => taken.filter((one) => one.index === index).length)
        for (const [index, queue] of all.entries()) {
          const own = counts[index] ?? 0
          // In the order of the queue, each once.
          assert.deepStrictEqual(
            taken.filter((one) => one.index === index).map(({ place }) => place),
            queue.slice(0, own).map((_, place) => place)
          )
          if (own < queue.length) assert.isAtMost(Math.max(...counts), own + 1)
        }
      })
    )
  })
})
