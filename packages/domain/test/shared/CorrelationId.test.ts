import { assert, describe, it } from "@effect/vitest"
import { CorrelationId } from "@wcs/domain/shared/CorrelationId"
import { Schema } from "effect"
import * as fc from "fast-check"

const isCorrelationId = Schema.is(CorrelationId)

describe("CorrelationId", () => {
  it.each([
    ["128 characters", "x".repeat(128)],
    ["a ULID", "01ARZ3NDEKTSV4RRFFQ69G5FAV"],
    ["a UUID", "0f8fad5b-d9cb-469f-a165-70867728950e"],
    ["the reserved word in another case", "String"],
    ["the reserved word with another character", "string1"]
  ])("VER-04: accepts %s", (_name, text) => {
    assert.isTrue(isCorrelationId(text))
  })

  it.each([
    ["VER-06: the word `string`", "string"],
    ["129 characters", "x".repeat(129)],
    ["threat 24: 10 kB", "x".repeat(10_000)],
    ["a trailing line break", "abc\n"],
    ["threat 25: a trailing header", "abc\r\nX-Evil: 1"],
    ["a number", 42],
    ["null", null]
  ])("refuses %s", (_name, text) => {
    assert.isFalse(isCorrelationId(text))
  })

  it("accepts exactly 1 to 128 characters (letters, digits, . _ : -)", () => {
    const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-"
    const text = fc.string({ unit: fc.oneof(fc.constantFrom(...allowed), fc.string({ unit: "binary", maxLength: 1 })) })
    fc.assert(
      fc.property(text, (candidate) => {
        const characters = [...candidate]
        const expected =
          candidate !== "string" &&
          characters.length >= 1 &&
          characters.length <= 128 &&
          characters.every((character) => allowed.includes(character))
        assert.strictEqual(isCorrelationId(candidate), expected)
      })
    )
  })
})
