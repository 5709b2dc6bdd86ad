import { assert, describe, it } from "@effect/vitest"
import { endOfPrefix } from "@wcs/store-sql/engine/Prefix"

describe("where what begins with a prefix ends", () => {
  for (const [prefix, end] of [
    ["a", "b"],
    ["ab", "ac"],
    ["a%", "a&"],
    ["é", "ê"],
    ["a\u{ffff}", "a\u{10000}"],
    ["\u{d7ff}", "\u{e000}"],
    ["a\u{10ffff}", "b"],
    ["a\u{10ffff}\u{10ffff}", "b"],
    ["\u{1f600}", "\u{1f601}"]
  ] as const) {
    it(`${JSON.stringify(prefix)} ends before ${JSON.stringify(end)}`, () => {
      assert.strictEqual(endOfPrefix(prefix), end)
    })
  }

  it("nothing ends it where no text comes after", () => {
    assert.isUndefined(endOfPrefix("\u{10ffff}"))
    assert.isUndefined(endOfPrefix(""))
  })
})
