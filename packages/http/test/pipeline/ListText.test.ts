import { assert, describe, it } from "@effect/vitest"
import { listText } from "@wcs/http/pipeline/ListText"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import * as fc from "fast-check"

const items = fc.array(
  fc.record({
    name: fc.string({ unit: "binary" }),
    // Some lists are longer than a piece.
    text: fc.constantFrom("a", "漢".repeat(30_000), "\u{1F600}".repeat(40_000))
  }),
  { maxLength: 12 }
)

describe("the JSON of a list", () => {
  it("equals the JSON of the whole list, for lists of any length", () =>
    fc.assert(
      fc.asyncProperty(items, async (data) => {
        const meta = { requestId: "r", nextCursor: null }
        const response = await Effect.runPromise(listText(data, meta))
        assert.strictEqual(response.headers["content-type"], "application/json")
        assert.strictEqual(await HttpServerResponse.toWeb(response).text(), JSON.stringify({ data, meta }))
      })
    ))

  it.effect("threat 43: is written in steps, between which others run", () =>
    Effect.gen(function* () {
      const data = Array.from({ length: 20 }, () => ({ text: "a".repeat(100_000) }))
      let turns = 0
      const written = yield* Effect.forkChild(listText(data, {}))
      while (written.pollUnsafe() === undefined) {
        turns++
        yield* Effect.yieldNow
      }
      assert.isAtLeast(turns, 8)
    })
  )
})
