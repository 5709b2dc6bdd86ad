import { assert, describe, it } from "@effect/vitest"
import { at, draftOf, equals, excess, isObject, type JsonObject, type JsonValue, put } from "@wcs/domain/shared/Json"
import * as fc from "fast-check"

const document = fc.jsonValue({ maxDepth: 3 }).map((value): JsonValue => JSON.parse(JSON.stringify(value)))
const object = fc
  .dictionary(fc.constantFrom("a", "b", "c"), document, { noNullPrototype: true })
  .map((value): JsonObject => JSON.parse(JSON.stringify(value)))
const path = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 3 })

/** The document, with a count of key listings, because each copy lists the keys. */
const countingKeys = (document: JsonValue) => {
  let listed = 0
  const counted = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(counted)
    if (!isObject(value)) return value
    const inner = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, counted(one)]))
    return new Proxy(inner, {
      ownKeys: (target) => {
        listed++
        return Reflect.ownKeys(target)
      }
    })
  }
  return { document: counted(document), listed: () => listed }
}

/** The same document with all keys in reverse order. */
const reordered = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map(reordered)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reordered(inner)])
  )
}

describe("Json", () => {
  it.each([
    [{}, true],
    [{ a: 1 }, true],
    [[], false],
    [null, false],
    ["{}", false],
    [1, false],
    [undefined, false]
  ])("isObject(%j) is %j", (value, expected) => {
    assert.strictEqual(isObject(value), expected)
  })

  describe("at", () => {
    it.each([
      [{ a: { b: 1 } }, ["a", "b"], 1],
      [{ a: { b: null } }, ["a", "b"], null],
      [{ a: 1 }, [], { a: 1 }],
      [{ a: 1 }, ["b"], undefined],
      [{ a: 1 }, ["a", "b"], undefined],
      [{ a: [1] }, ["a", "0"], undefined],
      [{ a: "text" }, ["a", "length"], undefined],
      [{}, ["constructor"], undefined],
      [{}, ["__proto__", "toString"], undefined],
      [undefined, ["a"], undefined]
    ])("finds in %j at %j: %j", (value, path, expected) => {
      assert.deepStrictEqual(at(value, path), expected)
    })
  })

  describe("put", () => {
    it("sets what `at` then returns, and changes nothing else", () => {
      fc.assert(
        fc.property(object, path, document, (before, path, value) => {
          const after = put(before, path, value)
          assert.deepStrictEqual(at(after, path), value)
          const [first] = path
          for (const key of Object.keys(before)) if (key !== first) assert.deepStrictEqual(after[key], before[key])
        })
      )
    })

    it("removes a value, and creates nothing for an absent one", () => {
      fc.assert(
        fc.property(object, path, (before, path) => {
          const after = put(before, path, undefined)
          assert.isUndefined(at(after, path))
          if (at(before, path) === undefined) assert.deepStrictEqual(after, before)
        })
      )
    })

    it("does not change the given document", () => {
      fc.assert(
        fc.property(object, path, document, (before, path, value) => {
          const text = JSON.stringify(before)
          put(before, path, value)
          put(before, path, undefined)
          assert.strictEqual(JSON.stringify(before), text)
        })
      )
    })
  })

  describe("draftOf", () => {
    it("makes the same document as `put` for each edit", () => {
      fc.assert(
        fc.property(object, fc.array(fc.tuple(path, fc.option(document, { nil: undefined }))), (before, edits) => {
          const text = JSON.stringify(before)
          const draft = draftOf(before)
          for (const [path, value] of edits) draft.put(path, value)
          const expected = edits.reduce<JsonObject>((rest, [path, value]) => put(rest, path, value), before)
          assert.deepStrictEqual(draft.current(), expected)
          assert.strictEqual(JSON.stringify(before), text)
        })
      )
    })

    it("threat 43: copies each object once for any number of edits", () => {
      const { document, listed } = countingKeys({ a: 1, b: 2, c: { d: 3, e: 4 }, untouched: {} })
      const draft = draftOf(document as JsonObject)
      for (const path of [["a"], ["b"], ["c", "d"], ["c", "e"]]) draft.put(path, undefined)
      draft.put(["f"], 5)
      assert.strictEqual(listed(), 2)
      assert.deepStrictEqual(draft.current(), { c: {}, f: 5, untouched: {} })
    })

    it("copies nothing if nothing changes", () => {
      const before: JsonObject = { a: 1 }
      const draft = draftOf(before)
      draft.put(["b"], undefined)
      draft.put(["a", "b"], undefined)
      draft.put(["a"], 1)
      assert.strictEqual(draft.current(), before)
    })
  })

  describe("equals", () => {
    it("ignores the order of keys", () => {
      fc.assert(fc.property(document, (value) => equals(value, reordered(value))))
    })

    it("is false for different documents", () => {
      const canonical = (value: JsonValue): string => {
        if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
        if (!isObject(value)) return JSON.stringify(value)
        const keys = Object.keys(value).sort()
        return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`).join()}}`
      }
      fc.assert(
        fc.property(document, document, (one, two) => equals(one, two) === (canonical(one) === canonical(two))),
        { numRuns: 500 }
      )
    })

    it.each([
      [{ a: 1 }, { a: 1, b: null }],
      [{ a: null }, {}],
      [{ a: undefined }, {}],
      [[], {}],
      [
        [1, 2],
        [2, 1]
      ],
      [[1], [1, 2]],
      ["1", 1],
      [null, undefined],
      [null, {}],
      [{ constructor: 1 }, { x: 1 }]
    ] as ReadonlyArray<readonly [JsonValue, JsonValue]>)("%j is not %j", (one, two) => {
      assert.isFalse(equals(one, two))
      assert.isFalse(equals(two, one))
    })

    it("threat 27: is not confused by inherited names", () => {
      assert.isFalse(equals(JSON.parse('{"__proto__":{}}'), { a: 1 }))
      assert.isFalse(equals({ a: 1 }, JSON.parse('{"__proto__":{}}')))
    })
  })

  describe("excess", () => {
    it.each([
      [{ a: 1 }, { a: 1 }, []],
      [{ a: 1, b: 2 }, { a: 1 }, ["b"]],
      [{ a: { b: 1, c: { d: 2 } } }, { a: { b: 1 } }, ["a.c"]],
      [{ a: [{ b: 1, x: 2 }] }, { a: [{ b: 1 }] }, ["a.0.x"]],
      [{ a: {} }, { a: {}, b: 1 }, []],
      [{ toString: 1 }, {}, ["toString"]],
      ["text", undefined, []]
    ] as ReadonlyArray<readonly [JsonValue, JsonValue, ReadonlyArray<string>]>)(
      "of %j over %j is %j",
      (sent, understood, expected) => {
        assert.deepStrictEqual(excess(sent, understood, [], 20), expected)
      }
    )

    it("threat 43: stops at the requested number of paths", () => {
      const { document, listed } = countingKeys(Array.from({ length: 1000 }, () => ({ known: 1, unknown: 1 })))
      const understood = Array.from({ length: 1000 }, () => ({ known: 1 }))
      const paths = excess(document, understood, ["list"], 3)
      assert.deepStrictEqual(paths, ["list.0.unknown", "list.1.unknown", "list.2.unknown"])
      assert.strictEqual(listed(), 3)
    })

    it("includes `__proto__` like any other name", () => {
      assert.deepStrictEqual(excess(JSON.parse('{"__proto__":{"a":1}}'), {}, [], 20), ["__proto__"])
    })
  })
})
