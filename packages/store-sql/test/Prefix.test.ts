import { assert, describe, it } from "@effect/vitest"
import { endOfPrefix } from "@wcs/store-sql/engine/Prefix"

describe("the end of a prefix", () => {
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

  it("does not exist if no text follows", () => {
    assert.isUndefined(endOfPrefix("\u{10ffff}"))
    assert.isUndefined(endOfPrefix(""))
  })
})
