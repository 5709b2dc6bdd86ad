import { assert, describe, it } from "@effect/vitest"
import { foldedLine } from "@wcs/conformance/text/LineFolding"

describe("a folded line", () => {
  it("breaks between words at the width of the terminal, and keeps words that are too long", () => {
    assert.strictEqual(foldedLine("  one two three", 9), "  one two\n    three")
    assert.strictEqual(foldedLine("  one https://t1.acme.test", 9), "  one\n    https://t1.acme.test")
  })

  it("stays whole if it fits or if there is no terminal", () => {
    assert.strictEqual(foldedLine("  one two", 9), "  one two")
    assert.strictEqual(foldedLine("  one two three", undefined), "  one two three")
  })
})
