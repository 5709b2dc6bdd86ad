import { assert, describe, it } from "@effect/vitest"
import {
  alteredIds,
  isGuessable,
  likelyUnknownIds,
  nobodysId,
  nobodysIds
} from "@wcs/conformance/walks/resource/UnknownIds"
import * as fc from "fast-check"

const ids: ReadonlyArray<readonly [what: string, id: string, form: RegExp]> = [
  ["a ULID", "cred_01HZX3NDEKTSV4RRFFQ69G5FAV", /^cred_[0-9A-HJKMNP-TV-Z]{26}$/],
  ["a UUID", "cred_6f1b1a5e-8a0d-4c57-9d6f-2f1d3a1b0c9e", /^cred_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
  ["letters and digits", "cred_aB3dE6gH9jK2mN5p", /^cred_[0-9A-Za-z]{16}$/],
  ["a number", "cred_1234567890123456", /^cred_[0-9]{16}$/],
  ["base 32", "cred_mfzwizltoq3dk5kqnjwg26lf72", /^cred_[a-z2-7]{26}$/],
  ["an alphabet with signs", "cred_V1StGXR8_Z5jdHi6B-my_", /^cred_[0-9A-Za-z_-]{21}$/]
]

describe("unknown ids (OWN-20, BLK-08, BLK-09, BLK-13)", () => {
  for (const [what, id, form] of ids) {
    it(`are as many as a batch accepts, each in the form of the real one: ${what}`, () => {
      const altered = alteredIds(id, 500)
      assert.strictEqual(new Set(altered).size, 500)
      assert.notInclude(altered, id)
      for (const other of altered) assert.match(other, form)
    })
  }

  it("differ from the real one in any form", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^cred_[0-9A-Za-z_-]{0,24}$/), (id) => {
        const altered = alteredIds(id, 500)
        assert.strictEqual(new Set(altered).size, 500)
        assert.notInclude(altered, id)
        for (const other of altered) assert.match(other, /^cred_/)
      })
    )
  })

  it("end with a distant one in the same form when ids are sequential", () => {
    assert.deepStrictEqual(likelyUnknownIds("cred_100175").at(-1), "cred_999999999100175")
    for (const [what, id, form] of ids) {
      const likely = likelyUnknownIds(id)
      assert.isAbove(likely.length, 1, what)
      assert.notInclude(likely, id)
      for (const other of likely) assert.match(other, form)
    }
  })

  it("may be in use when ids are sequential or short", () => {
    for (const id of ["cred_12", "cred_00000000000012", "cred_aB3dE6"]) assert.isTrue(isGuessable(id), id)
    for (const [what, id] of ids) assert.strictEqual(isGuessable(id), what === "a number", id)
  })

  it("PRV-08: are sent with a change only when they are certainly unused", () => {
    assert.strictEqual(nobodysId("cred_100175"), "cred_999999999100175")
    for (const id of ["cred_123456789012345", "cred_aB3dE6"]) assert.isUndefined(nobodysId(id), id)
    for (const [what, id] of ids)
      assert.strictEqual(nobodysId(id), isGuessable(id) ? undefined : alteredIds(id, 1)[0], what)
  })

  it("BLK-09: fill a batch with unused ids, far from any counter", () => {
    const far = nobodysIds("cred_100175", 500) ?? []
    assert.strictEqual(new Set(far).size, 500)
    for (const id of far) assert.match(id, /^cred_99999999\d{7}$/)
    for (const id of ["cred_aB3dE6", "cred_1-2"]) assert.isUndefined(nobodysIds(id, 500), id)
    for (const [, id] of ids) assert.deepStrictEqual(nobodysIds(id, 500), alteredIds(id, 500))
  })
})
