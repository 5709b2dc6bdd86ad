import { assert, describe, it } from "@effect/vitest"
import { dayAt, defaultTimeZone, isLapsed } from "@wcs/domain/shared/CalendarDay"
import * as fc from "fast-check"

describe("CalendarDay", () => {
  it.each([
    ["2026-03-02", false],
    ["2026-03-01", false],
    ["2026-02-28", true],
    ["1999-12-31", true],
    [undefined, false]
  ])("returns for the expiry date %s whether 2026-03-01 is after the expiry date: %j", (expiryDate, expected) => {
    assert.strictEqual(isLapsed(expiryDate, "2026-03-01"), expected)
  })

  describe("threat 41: returns the calendar day in Sydney", () => {
    it.each([
      ["in winter, before midnight in Sydney", "2026-07-01T13:59:59.999Z", "2026-07-01"],
      ["in winter, at midnight in Sydney", "2026-07-01T14:00:00.000Z", "2026-07-02"],
      ["in summer, before midnight in Sydney", "2026-01-01T12:59:59.999Z", "2026-01-01"],
      ["in summer, at midnight in Sydney", "2026-01-01T13:00:00.000Z", "2026-01-02"],
      ["when daylight saving ends, before the repeated hour", "2026-04-04T15:30:00.000Z", "2026-04-05"],
      ["when daylight saving ends, after the repeated hour", "2026-04-04T16:30:00.000Z", "2026-04-05"],
      ["at the midnight before daylight saving begins", "2026-10-03T14:00:00.000Z", "2026-10-04"],
      ["on a leap day", "2024-02-29T00:00:00.000Z", "2024-02-29"],
      ["at the end of a year", "2026-12-31T13:00:00.000Z", "2027-01-01"]
    ])("%s", (_name, time, day) => {
      assert.strictEqual(defaultTimeZone, "Australia/Sydney")
      assert.strictEqual(dayAt(Date.parse(time)), day)
    })

    it("returns the calendar day of the given zone", () => {
      const instant = Date.parse("2026-07-01T13:59:59.999Z")
      assert.strictEqual(dayAt(instant, "Australia/Perth"), "2026-07-01")
      assert.strictEqual(dayAt(instant, "Pacific/Auckland"), "2026-07-02")
      assert.strictEqual(dayAt(instant, "UTC"), "2026-07-01")
    })

    it("returns YYYY-MM-DD and never an earlier day for a later instant", () => {
      fc.assert(
        fc.property(fc.nat(4e12), fc.nat(4e10), (instant, later) => {
          assert.match(dayAt(instant), /^\d{4}-\d{2}-\d{2}$/)
          assert.isTrue(dayAt(instant) <= dayAt(instant + later))
        })
      )
    })
  })
})
