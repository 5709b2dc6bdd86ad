import { assert, describe, it } from "@effect/vitest"
import { apply } from "@wcs/domain/resource/MergePatch"
import { isObject, type JsonValue } from "@wcs/domain/shared/Json"
import * as fc from "fast-check"

/** RFC 7396, appendix A, every row. */
const appendix: ReadonlyArray<readonly [original: JsonValue, patch: JsonValue, result: JsonValue]> = [
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [
    ["a", "b"],
    ["c", "d"],
    ["c", "d"]
  ],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }]
]

const document = fc.jsonValue({ maxDepth: 3 }).map((value): JsonValue => JSON.parse(JSON.stringify(value)))

describe("MergePatch", () => {
  it.each(appendix)("RFC 7396, appendix A: patches %j with %j to %j", (original, patch, result) => {
    assert.deepStrictEqual(apply(original, patch), result)
  })

  it("RFC 7396, section 3: patches the example document", () => {
    const original = {
      title: "Goodbye!",
      author: { givenName: "John", familyName: "Doe" },
      tags: ["example", "sample"],
      content: "This will be unchanged"
    }
    const patch = {
      title: "Hello!",
      phoneNumber: "+01-123-456-7890",
      author: { familyName: null },
      tags: ["example"]
    }
    assert.deepStrictEqual(apply(original, patch), {
      title: "Hello!",
      author: { givenName: "John" },
      tags: ["example"],
      content: "This will be unchanged",
      phoneNumber: "+01-123-456-7890"
    })
  })

  it("is idempotent", () => {
    fc.assert(
      fc.property(document, document, (original, patch) => {
        const once = apply(original, patch)
        assert.deepStrictEqual(apply(once, patch), once)
      })
    )
  })

  it("changes nothing with an empty patch", () => {
    fc.assert(
      fc.property(document, (original) => {
        if (isObject(original)) assert.deepStrictEqual(apply(original, {}), original)
      })
    )
  })

  it("does not change its arguments", () => {
    fc.assert(
      fc.property(document, document, (original, patch) => {
        const before = JSON.stringify([original, patch])
        apply(original, patch)
        assert.strictEqual(JSON.stringify([original, patch]), before)
      })
    )
  })

  it("threat 27: sets `__proto__` as an own property", () => {
    const patch: JsonValue = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}')
    const merged = apply({ a: 1 }, patch)
    assert.deepStrictEqual(Object.keys(merged ?? {}), ["a", "__proto__", "constructor"])
    assert.strictEqual(Object.getPrototypeOf(merged), Object.prototype)
    assert.isUndefined(({} as Record<string, unknown>)["polluted"])
    assert.deepStrictEqual(apply(merged, JSON.parse('{"__proto__":null,"constructor":null}')), { a: 1 })
  })
})
