import { assert, describe, it } from "@effect/vitest"
import { jsonDepthLimit, jsonNodeLimit, oversizeOf } from "@wcs/http/request/JsonSize"
import * as fc from "fast-check"

const tooDeep = "is nested more than 32 levels deep"
const tooMany = "has more than 5000 values"

/** Counts the values of a parsed document. */
const nodesIn = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? Object.values(value).reduce<number>((nodes, inner) => nodes + nodesIn(inner), 1)
    : 1

const levelsIn = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(levelsIn)) : 0

/** Returns an array that contains a JSON text and enough zeros to have the given number of values in all. */
const withNodes = (text: string, nodes: number): string => {
  const zeros = nodes - 1 - nodesIn(JSON.parse(text))
  return `[${"0,".repeat(zeros)}${text}]`
}

const document = fc.oneof(
  fc.json({ maxDepth: 6 }),
  fc.jsonValue({ maxDepth: 6 }).map((value) => JSON.stringify(value, null, "\t\r\n ")),
  fc.constantFrom('{"a,b]":"c\\",{["}', "[[],{},[{}]]", ' { "a" : [ ] , "b" : [ 1 , "\\\\" ] } ')
)

describe("threat 43: the size of a JSON text", () => {
  it("is accepted up to the limit of values, and refused with one value more", () => {
    fc.assert(
      fc.property(document, (text) => {
        assert.isUndefined(oversizeOf(text))
        assert.isUndefined(oversizeOf(withNodes(text, jsonNodeLimit)))
        assert.strictEqual(oversizeOf(withNodes(text, jsonNodeLimit + 1)), tooMany)
      }),
      { numRuns: 200 }
    )
  })

  it("is accepted up to the limit of levels, and refused with one level more", () => {
    fc.assert(
      fc.property(document, (text) => {
        const levels = jsonDepthLimit - levelsIn(JSON.parse(text))
        const nested = (depth: number) => `${"[".repeat(depth)}${text}${"]".repeat(depth)}`
        assert.isUndefined(oversizeOf(nested(levels)))
        assert.strictEqual(oversizeOf(nested(levels + 1)), tooDeep)
      }),
      { numRuns: 200 }
    )
  })

  it("counts a repeated key each time", () => {
    assert.strictEqual(oversizeOf(`{${'"a":1,'.repeat(jsonNodeLimit)}"a":1}`), tooMany)
  })

  it("returns a result for any text, even if it is not JSON", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        assert.isUndefined(oversizeOf(text))
      })
    )
    for (const text of ["", '"', '"\\', "]]]]", "{{{{"]) assert.isUndefined(oversizeOf(text))
  })
})
