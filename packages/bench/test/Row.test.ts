import { assert, describe, it } from "@effect/vitest"
import { judged, type Row, reachesAim, verdictOf } from "@wcs/bench/Row"
import type { Series } from "@wcs/bench/Series"

const series = (...values: ReadonlyArray<number>): Series => ({
  side: "side",
  unit: "/s",
  samples: values.map((value) => ({ value }))
})

const row = (ours: Series, other: Series | undefined, goal: Row["goal"]): Row => ({
  what: "what",
  against: "against",
  ours,
  ...(other === undefined ? {} : { other }),
  goal
})

const atLeast = { direction: "at least", bar: 0.5, aim: 1 } as const
const atMost = { direction: "at most", bar: 1.3, aim: 1.1 } as const

describe("judging a row", () => {
  it("takes the ratio round by round, and uses its median", () => {
    // the machine was four times slower in the second round, for both
    const spread = judged(row(series(50, 25, 60), series(100, 25, 100), atLeast))
    assert.deepStrictEqual(spread, { median: 0.6, least: 0.5, most: 1 })
  })
  it("a lower bound", () => {
    assert.strictEqual(verdictOf(row(series(50), series(100), atLeast)), "pass")
    assert.strictEqual(verdictOf(row(series(49), series(100), atLeast)), "miss")
    assert.isFalse(reachesAim(row(series(99), series(100), atLeast)))
    assert.isTrue(reachesAim(row(series(100), series(100), atLeast)))
  })
  it("an upper bound", () => {
    assert.strictEqual(verdictOf(row(series(130), series(100), atMost)), "pass")
    assert.strictEqual(verdictOf(row(series(131), series(100), atMost)), "miss")
    assert.isTrue(reachesAim(row(series(110), series(100), atMost)))
  })
  it("judges a value without a ratio in seconds", () => {
    const goal = { direction: "at most", bar: 1, aim: 0.4 } as const
    assert.strictEqual(verdictOf(row(series(900, 1000, 1100), undefined, goal)), "pass")
    assert.strictEqual(verdictOf(row(series(900, 1001, 1100), undefined, goal)), "miss")
  })
  it("judges memory without a ratio in megabytes", () => {
    const goal = { direction: "at most", bar: 150, aim: 100 } as const
    const memory = (value: number): Series => ({ ...series(value), unit: "MB" })
    assert.strictEqual(verdictOf(row(memory(150), undefined, goal)), "pass")
    assert.strictEqual(verdictOf(row(memory(151), undefined, goal)), "miss")
  })
  it("neither passes nor misses a row without a bar", () => {
    const figure = row(series(500), series(100), null)
    assert.deepStrictEqual([verdictOf(figure), reachesAim(figure), judged(figure).median], ["figure", false, 5])
  })
  it("does not pass with a missing round", () => {
    assert.strictEqual(verdictOf(row(series(50), series(), atLeast)), "miss")
    assert.strictEqual(verdictOf(row(series(), series(), atMost)), "miss")
  })
})
