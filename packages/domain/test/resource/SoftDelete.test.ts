import { assert, describe, it } from "@effect/vitest"
import { isVisible, remove, restore } from "@wcs/domain/resource/SoftDelete"
import * as fc from "fast-check"
import * as arbitraries from "../shared/arbitraries.ts"

const stored = arbitraries.stored("cred_", arbitraries.credentialFields)

describe("SoftDelete", () => {
  it("DEL-01: sets deletedAt as one more version and keeps the rest", () => {
    fc.assert(
      fc.property(stored, fc.nat(4e12), (row, now) => {
        assert.deepStrictEqual(remove(row, now), { ...row, version: row.version + 1, updatedAt: now, deletedAt: now })
      })
    )
  })

  it("DEL-02: a second delete changes nothing", () => {
    fc.assert(
      fc.property(stored, fc.nat(4e12), fc.nat(), (row, now, later) => {
        const deleted = remove(row, now)
        assert.strictEqual(remove(deleted, now + later), deleted)
      })
    )
  })

  it("a restore undoes a delete as one more version; a second one changes nothing", () => {
    fc.assert(
      fc.property(stored, fc.nat(4e12), fc.nat(), (row, now, later) => {
        const live = { ...row, deletedAt: null }
        const restored = restore(remove(live, now), now + later)
        assert.deepStrictEqual(restored, { ...live, version: live.version + 2, updatedAt: now + later })
        assert.strictEqual(restore(restored, now), restored)
      })
    )
  })

  it.each([
    [null, false, true],
    [null, true, true],
    [1, false, false],
    [1, true, true],
    [0, false, false]
  ])("deleted at %j, with includeDeleted %j: visible %j", (deletedAt, includeDeleted, seen) => {
    assert.strictEqual(isVisible({ deletedAt }, includeDeleted), seen)
  })
})
