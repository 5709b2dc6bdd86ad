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

describe("ids of what does not exist (OWN-20, BLK-08, BLK-09, BLK-13)", () => {
  for (const [what, id, form] of ids) {
    it(`are as many as a batch takes, each of the form of the real one: ${what}`, () => {
      const altered = alteredIds(id, 500)
      assert.strictEqual(new Set(altered).size, 500)
      assert.notInclude(altered, id)
      for (const other of altered) assert.match(other, form)
    })
  }

  it("differ from the real one, whatever it is", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^cred_[0-9A-Za-z_-]{0,24}$/), (id) => {
        const altered = alteredIds(id, 500)
        assert.strictEqual(new Set(altered).size, 500)
        assert.notInclude(altered, id)
        for (const other of altered) assert.match(other, /^cred_/)
      })
    )
  })

  it("are far away at last where ids are counted up, in the same form", () => {
    assert.deepStrictEqual(likelyUnknownIds("cred_100175").at(-1), "cred_999999999100175")
    for (const [what, id, form] of ids) {
      const likely = likelyUnknownIds(id)
      assert.isAbove(likely.length, 1, what)
      assert.notInclude(likely, id)
      for (const other of likely) assert.match(other, form)
    }
  })

  it("may be somebody's where ids are counted up, or short", () => {
    for (const id of ["cred_12", "cred_00000000000012", "cred_aB3dE6"]) assert.isTrue(isGuessable(id), id)
    for (const [what, id] of ids) assert.strictEqual(isGuessable(id), what === "a number", id)
  })

  it("are sent with what would change them only where they are nobody's (PRV-08)", () => {
    assert.strictEqual(nobodysId("cred_100175"), "cred_999999999100175")
    for (const id of ["cred_123456789012345", "cred_aB3dE6"]) assert.isUndefined(nobodysId(id), id)
    for (const [what, id] of ids)
      assert.strictEqual(nobodysId(id), isGuessable(id) ? undefined : alteredIds(id, 1)[0], what)
  })

  it("fill a batch with what is nobody's, as far from a counter as can be (BLK-09)", () => {
    const far = nobodysIds("cred_100175", 500) ?? []
    assert.strictEqual(new Set(far).size, 500)
    for (const id of far) assert.match(id, /^cred_99999999\d{7}$/)
    for (const id of ["cred_aB3dE6", "cred_1-2"]) assert.isUndefined(nobodysIds(id, 500), id)
    for (const [, id] of ids) assert.deepStrictEqual(nobodysIds(id, 500), alteredIds(id, 500))
  })
})
