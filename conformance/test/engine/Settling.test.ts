import { assert, describe, it } from "@effect/vitest"
import { isLate, lagOfWorkers } from "@wcs/conformance/calls/Settling"
import { judge } from "@wcs/conformance/judgement/Judge"
import { walk } from "@wcs/conformance/judgement/Walk"
import { at } from "@wcs/conformance/text/Json"
import { Clock, Effect } from "effect"
import { answer, inTime, keeping, runOver, type Serve } from "../Invented.ts"

const intervalMillis = 300

/** A deployment whose list has what there was at its last refresh. Requests and answers take time. */
const refreshing = (travelMillis: number): Serve => {
  const { serve } = keeping()
  const times = new Map<unknown, number>()
  return Effect.fnUntraced(function* (request) {
    yield* Effect.sleep(travelMillis)
    const now = yield* Clock.currentTimeMillis
    const given = yield* serve(request)
    const data = at(given.json, "data")
    if (request.method === "POST") times.set(at(data, "id"), now)
    const refreshedAt = Math.floor(now / intervalMillis) * intervalMillis
    const shown = Array.isArray(data) ? data.filter((item) => (times.get(at(item, "id")) ?? 0) < refreshedAt) : data
    yield* Effect.sleep(travelMillis)
    return answer(given.status, { data: shown ?? null })
  })
}

/** The lag that is measured from a time on: in milliseconds, 0 if the list seems up to date. */
const lagFrom = Effect.fnUntraced(function* (startMillis: number, travelMillis: number) {
  let millis = Number.NaN
  const measuring = walk({ name: "workers/lag", judges: ["WRK-05"], impact: "create", needs: [] })(
    Effect.gen(function* () {
      yield* Effect.sleep(startMillis)
      const lag = yield* lagOfWorkers
      millis = isLate(lag) ? lag.seconds * 1000 : 0
      yield* judge("WRK-05", [], [])
    })
  )
  yield* inTime(runOver({ serve: refreshing(travelMillis), walks: [measuring] }))
  return millis
})

describe("the lag of a list that is refreshed at intervals", () => {
  const lagsWith = (travelMillis: number) =>
    Effect.forEach(
      Array.from({ length: intervalMillis / 10 }, (_, step) => 1 + 10 * step),
      (start) => lagFrom(start, travelMillis)
    )

  for (const travelMillis of [0, 5, 40]) {
    it.effect(`is at least an interval whenever it begins, if requests and answers take ${travelMillis} ms`, () =>
      Effect.gen(function* () {
        const lags = yield* lagsWith(travelMillis)
        assert.deepStrictEqual(
          lags.filter((lag) => lag < intervalMillis),
          []
        )
      })
    )
  }

  it.effect("is at least an interval or is not seen, if answers are almost as slow", () =>
    Effect.gen(function* () {
      const seen = (yield* lagsWith(100)).filter((lag) => lag > 0)
      assert.isNotEmpty(seen)
      assert.deepStrictEqual(
        seen.filter((lag) => lag < intervalMillis),
        []
      )
    })
  )
})
