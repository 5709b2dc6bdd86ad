import { assert, describe, it } from "@effect/vitest"
import { fill, fillPath } from "@wcs/conformance/profile/Template"
import type { Json } from "@wcs/conformance/text/Json"
import * as fc from "fast-check"

const name = fc.stringMatching(/^[a-z][A-Za-z0-9_]{0,7}$/)

/** JSON without template names. */
const plain = fc
  .jsonValue()
  .map((value): Json => JSON.parse(JSON.stringify(value).replaceAll("{{", "(("))) satisfies fc.Arbitrary<Json>

describe("a template", () => {
  it("stays unchanged without names", () => {
    fc.assert(fc.property(plain, (value) => assert.deepStrictEqual(fill(value, {}), value)))
  })
  it("becomes the value itself when it is a single name, for any type and position", () => {
    fc.assert(
      fc.property(name, plain, plain, (key, value, beside) => {
        assert.deepStrictEqual(fill(`{{${key}}}`, { [key]: value }), value)
        const template = { beside, inner: [[`{{${key}}}`], beside] }
        assert.deepStrictEqual(fill(template, { [key]: value }), { beside, inner: [[value], beside] })
      })
    )
  })
  it("removes properties and elements without a value, and is null when nothing remains", () => {
    fc.assert(
      fc.property(name, plain, (key, beside) => {
        const hole = `{{${key}}}`
        assert.deepStrictEqual(fill({ beside, gone: hole, deep: { gone: hole } }, {}), { beside, deep: {} })
        assert.deepStrictEqual(fill([hole, beside, [hole]], {}), [beside, []])
        assert.isNull(fill(hole, {}))
      })
    )
  })
  it("replaces names inside a string once, and not in the values", () => {
    fc.assert(
      fc.property(name, fc.string(), (key, value) => {
        assert.strictEqual(fill(`<{{${key}}}|{{${key}}}>`, { [key]: value }), `<${value}|${value}>`)
      })
    )
    assert.strictEqual(fill("a {{unique}}", { unique: "{{name}} $& $1", name: "no" }), "a {{name}} $& $1")
    assert.deepStrictEqual(fill("{{unique}}", { unique: "{{name}}", name: "no" }), "{{name}}")
    assert.strictEqual(fill("a {{number}} {{none}}.", { number: 3 }), "a 3 .")
  })
  it("ignores inherited properties of the values", () => {
    assert.deepStrictEqual(fill({ a: "{{toString}}", b: "{{constructor}}!" }, {}), { b: "!" })
  })
})

describe("a path", () => {
  it("escapes values so that they stay one segment", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (id) => {
        const path = fillPath("/workers/{{id}}/linked", { id })
        const segments = path.split("/")
        assert.strictEqual(segments.length, 4)
        assert.strictEqual(decodeURIComponent(segments[2] ?? ""), id)
        assert.match(path, /^[\x21-\x7e]*$/)
      })
    )
  })
  it("keeps text that is not a name", () => {
    assert.strictEqual(fillPath("/w?a=%2F&b={{id}}", { id: "&=" }), "/w?a=%2F&b=%26%3D")
    assert.strictEqual(fillPath("/w/{{other}}", { id: "1" }), "/w/")
  })
})
