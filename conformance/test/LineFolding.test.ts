import { assert, describe, it } from "@effect/vitest"
import { folded } from "@wcs/conformance/text/LineFolding"

describe("a folded line", () => {
  it("breaks between words at the width of the terminal, and keeps words that are too long", () => {
    assert.strictEqual(folded("  one two three", 9), "  one two\n    three")
    assert.strictEqual(folded("  one https://t1.acme.test", 9), "  one\n    https://t1.acme.test")
  })

  it("stays whole if it fits or if there is no terminal", () => {
    assert.strictEqual(folded("  one two", 9), "  one two")
    assert.strictEqual(folded("  one two three", undefined), "  one two three")
  })
})
