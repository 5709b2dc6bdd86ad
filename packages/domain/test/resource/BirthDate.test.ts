import { assert, describe, it } from "@effect/vitest"
import { implausibleBirthDate } from "@wcs/domain/resource/BirthDate"

describe("a birth date", () => {
  const today = "2026-11-28"

  it.each(["2026-11-28", "1904-01-01", "2000-02-29"])("can be %s", (date) => {
    assert.isUndefined(implausibleBirthDate(date, today))
  })

  it.each([
    ["2026-11-29", "must not be in the future"],
    ["9999-12-31", "must not be in the future"],
    ["1903-12-31", "must not be before 1904-01-01"],
    ["0001-01-01", "must not be before 1904-01-01"]
  ])("cannot be %s", (date, reason) => {
    assert.strictEqual(implausibleBirthDate(date, today), reason)
  })

  it("is never before 1900", () => {
    assert.strictEqual(implausibleBirthDate("1899-12-31", "2001-01-01"), "must not be before 1900-01-01")
  })
})
