import { assert, describe, it } from "@effect/vitest"
import * as Anchors from "@wcs/conformance/wire/Anchors"
import * as fc from "fast-check"

/** Few letters, so that anchors occur in texts, overlap, and contain one another. */
const letters = (constraints: fc.StringConstraints) =>
  fc.string({ unit: fc.constantFrom("a", "b", "é", "\u{1f469}"), ...constraints })

describe("the anchors of secrets", () => {
  it("are found exactly in the texts that contain them", () => {
    fc.assert(
      fc.property(fc.array(letters({ minLength: 1, maxLength: 12 }), { maxLength: 8 }), letters({}), (some, text) => {
        const anchors = Anchors.make<string>()
        for (const anchor of some) anchors.add(anchor, anchor)
        assert.sameMembers([...anchors.entriesIn(text)], [...new Set(some.filter((anchor) => text.includes(anchor)))])
      }),
      { numRuns: 2000 }
    )
  })

  it("may lead to several entries each", () => {
    const anchors = Anchors.make<number>()
    anchors.add("anchor", 1)
    anchors.add("anchor", 2)
    anchors.add("an", 3)
    assert.deepStrictEqual([...anchors.entriesIn("the anchor")], [3, 1, 2])
    assert.deepStrictEqual([...anchors.entriesIn("another")], [3])
  })
})
