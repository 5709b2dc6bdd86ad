import { assert, describe, it } from "@effect/vitest"
import { says } from "@wcs/conformance/calls/Deliveries"
import { nameOf, namesIn, runOf } from "@wcs/conformance/calls/Names"
import { carries } from "@wcs/conformance/calls/Reading"
import { callersIdOf } from "@wcs/conformance/wire/CallersId"
import * as fc from "fast-check"
import { delivery } from "./wire/Deliveries.ts"

const run = fc.stringMatching(/^[1-9a-z][0-9a-z]{5}$/)
const number = fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 1_000_000 }))
/** Text that a profile puts before or after a name, more often digits, letters and parts of names. */
const around = fc.oneof(
  fc.stringMatching(/^[0-9]{0,8}$/),
  fc.stringMatching(/^[0-9a-z-]{0,12}$/),
  fc.constantFrom("x", "conf-", "-", "@example.org", "Conformance "),
  fc.string()
)

describe("the names of a run", () => {
  it("contain no other name, with anything that a profile puts around them", () => {
    fc.assert(
      fc.property(run, number, number, around, around, (id, one, other, before, after) => {
        fc.pre(one !== other)
        const value = `${before}${nameOf(id, one)}${after}`
        assert.notInclude(value, nameOf(id, other))
        assert.isTrue(carries({ attributes: { identifier: value } }, nameOf(id, one)))
        assert.isFalse(carries({ attributes: { identifier: value } }, nameOf(id, other)))
      }),
      { numRuns: 1000 }
    )
    assert.strictEqual(nameOf("r1s2t3", 13), "conf-r1s2t3-00013x")
  })

  it("EVT-07, EVT-10: an earlier delivery with an appended digit is not the awaited one", () => {
    const earlier = delivery(JSON.stringify({ identifier: `${nameOf("r1s2t3", 13)}7` }), {})
    assert.isFalse(says(nameOf("r1s2t3", 137))(earlier))
  })

  it("give the id of their run, also in a journal of an earlier release", () => {
    assert.strictEqual(runOf(nameOf("r1s2t3", 7)), "r1s2t3")
    assert.strictEqual(runOf("conf-r1s2t3-7"), "r1s2t3")
    assert.deepStrictEqual(namesIn("conf-r-1 Conformance conf-r-12, CONF-R-00013X00"), [
      "conf-r-1",
      "conf-r-12",
      "conf-r-00013x"
    ])
  })

  it("are not contained in callers' request ids, which do not contain each other either", () => {
    const ids = ["a/one", "b/two"].flatMap((walk) =>
      Array.from({ length: 400 }, (_, step) => callersIdOf("r1s2t3", walk, step) ?? [])
    )
    const all = [...new Set(ids.flat())]
    for (const one of all) {
      assert.lengthOf(
        all.filter((other) => other.includes(one)),
        1,
        one
      )
    }
  })
})
