import { assert, describe, it } from "@effect/vitest"
import { lookMillis, make } from "@wcs/http/pipeline/LongTurn"

/** A clock that a test moves. Timers fire only between two turns. */
const timing = () => {
  let millis = 0
  let timers: Array<() => void> = []
  return {
    given: { now: () => millis, later: (run: () => void) => timers.push(run) },
    pass: (by: number) => {
      millis += by
    },
    endTurn: () => {
      const due = timers
      timers = []
      for (const run of due) run()
    }
  }
}

describe("a long turn of the event loop", () => {
  it("refuses requests behind it, and none of the next turn", () => {
    const { endTurn, given, pass } = timing()
    const { take } = make({ requests: 2, millis: 500 }, given)
    assert.deepStrictEqual([take(), take(), take()], [false, false, false])
    pass(lookMillis + 501)
    assert.isTrue(take())
    endTurn()
    assert.deepStrictEqual([take(), take(), take()], [false, false, false])
  })

  it("refuses nothing if few requests wait, for example after a pause of the machine", () => {
    const { given, pass } = timing()
    const { take } = make({ requests: 3, millis: 500 }, given)
    take()
    pass(10_000)
    assert.deepStrictEqual([take(), take(), take()], [false, false, true])
  })

  it("refuses nothing while turns are short, even with many requests", () => {
    const { endTurn, given, pass } = timing()
    const { take } = make({ requests: 2, millis: 500 }, given)
    for (let turn = 0; turn < 100; turn++) {
      assert.deepStrictEqual([take(), take(), take(), take()], [false, false, false, false])
      pass(lookMillis + 20)
      endTurn()
    }
  })
})
