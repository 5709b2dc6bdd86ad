import { assert, describe, it } from "@effect/vitest"
import { sharedResource } from "@wcs/conformance/calls/Resources"
import { judge } from "@wcs/conformance/judgement/Judge"
import { type Walk, walk } from "@wcs/conformance/judgement/Walk"
import { Effect } from "effect"
import { answer, inTime, keeping, lineOf, runOver, type Serve } from "../Invented.ts"

const about = { impact: "create", needs: [] } as const

/** Two walks that share a worker. */
const sharingWalks: ReadonlyArray<Walk> = [
  walk({ ...about, name: "workers/one", judges: ["WRK-03"] })(
    Effect.andThen(sharedResource("worker", "owner"), judge("WRK-03", [], []))
  ),
  walk({ ...about, name: "workers/other", judges: ["WRK-04"] })(
    Effect.andThen(sharedResource("worker", "owner"), judge("WRK-04", [], []))
  )
]

/** Answers some creates with a status and a request id, then as usual. Returns the findings and the creates. */
const outcomeOf = Effect.fnUntraced(function* (status: number, times: number) {
  const { serve } = keeping()
  let left = times
  const failing: Serve = (request) => {
    if (request.method !== "POST" || left === 0) return serve(request)
    left -= 1
    return Effect.succeed(answer(status, {}, { "x-request-id": `request-${left}` }))
  }
  const { exchanges, found } = yield* inTime(runOver({ serve: failing, walks: sharingWalks }))
  return {
    found: found.toSorted(),
    creates: exchanges.filter(({ request }) => lineOf(request) === "POST /workers").length
  }
})

describe("steps that walks share", () => {
  it.effect("run once, also if they are refused: a recording may be judged in another order", () =>
    Effect.gen(function* () {
      const blocked = ["WRK-03 blocked", "WRK-04 blocked"]
      assert.deepStrictEqual(yield* outcomeOf(422, 1), { found: blocked, creates: 1 })
    })
  )
  it.effect("run three times while the deployment fails", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* outcomeOf(503, 2), { found: ["WRK-03 pass", "WRK-04 pass"], creates: 3 })
      assert.deepStrictEqual(yield* outcomeOf(503, 9), { found: ["WRK-03 blocked", "WRK-04 blocked"], creates: 3 })
    })
  )
})
