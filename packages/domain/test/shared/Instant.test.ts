import { assert, describe, it } from "@effect/vitest"
import { CalendarDate, fromRfc3339, isCalendarDate, toRfc3339, toUnixSeconds } from "@wcs/domain/shared/Instant"
import { Schema } from "effect"
import * as fc from "fast-check"

const two = (value: number) => String(value).padStart(2, "0")

/** The Gregorian rule, implemented separately. */
const daysIn = (year: number, month: number): number => {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0
}

describe("Instant", () => {
  it("threat 41: accepts exactly the dates that exist", () => {
    const number = (max: number) => fc.integer({ min: 0, max })
    fc.assert(
      fc.property(number(9999), number(15), number(35), (year, month, day) => {
        const text = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`
        const exists = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
        assert.strictEqual(isCalendarDate(text), exists)
        assert.strictEqual(Schema.is(CalendarDate)(text), exists)
      }),
      { numRuns: 2000 }
    )
  })

  it.each([
    ["2000-02-29", true],
    ["1900-02-29", false],
    ["2026-1-1", false],
    ["20260101", false],
    ["2026-01-01T00:00:00Z", false],
    ["2026-01-01\n", false],
    [" 2026-01-01", false],
    ["+002026-01-01", false],
    ["", false]
  ])("judges the date %j: %j", (text, exists) => {
    assert.strictEqual(isCalendarDate(text), exists)
  })

  it("formats in UTC with milliseconds, and parses the result", () => {
    assert.strictEqual(toRfc3339(0), "1970-01-01T00:00:00.000Z")
    assert.strictEqual(toRfc3339(1_700_000_000_123), "2023-11-14T22:13:20.123Z")
    fc.assert(fc.property(fc.nat(4e12), (instant) => fromRfc3339(toRfc3339(instant)) === instant))
    // The range of `Date`. More days than are remembered.
    fc.assert(
      fc.property(fc.double({ min: -8.64e15, max: 8.64e15, noNaN: true }), (instant) => {
        assert.strictEqual(toRfc3339(instant), new Date(instant).toISOString())
      }),
      { numRuns: 5_000 }
    )
    for (const instant of [-1, -0.5, 0.5, 86_399_999, 86_400_000]) {
      assert.strictEqual(toRfc3339(instant), new Date(instant).toISOString())
    }
    assert.throws(() => toRfc3339(8.64e15 + 86_400_000), RangeError)
    assert.throws(() => toRfc3339(Number.NaN), RangeError)
  })

  const noon = Date.UTC(2026, 0, 31, 12)
  it.each([
    ["2026-01-31T12:00:00Z", noon],
    ["2026-01-31t12:00:00z", noon],
    ["2026-01-31T12:00:00.5Z", noon + 500],
    ["2026-01-31T12:00:00.123456789Z", noon + 123],
    ["2026-01-31T22:00:00+10:00", noon],
    ["2026-02-01T01:30:00+13:30", noon],
    ["2026-01-31T07:00:00-05:00", noon],
    ["2026-01-31T12:00:00-00:00", noon],
    ["2026-01-31T23:59:59Z", noon + 11 * 3_600_000 + 59 * 60_000 + 59_000]
  ])("parses %s", (text, instant) => {
    assert.strictEqual(fromRfc3339(text), instant)
  })

  it.each([
    "",
    "now",
    "2026-01-31",
    "2026-01-31T12:00:00",
    "2026-01-31 12:00:00Z",
    "2026-01-31T12:00Z",
    "2026-01-31T12:00:00.Z",
    "2026-01-31T12:00:00.1234567890Z",
    "2026-02-30T12:00:00Z",
    "2026-01-31T24:00:00Z",
    "2026-01-31T25:00:00Z",
    "2026-01-31T12:60:00Z",
    "2026-01-31T12:00:60Z",
    "2026-01-31T12:00:00+24:00",
    "2026-01-31T12:00:00+10",
    "2026-01-31T12:00:00 UTC",
    "2026-01-31T12:00:00Z\n",
    "Sat, 31 Jan 2026 12:00:00 GMT",
    "1769860800000"
  ])("refuses %j", (text) => {
    assert.isUndefined(fromRfc3339(text))
  })

  it.each([
    [0, 0],
    [999, 0],
    [1000, 1],
    [1_700_000_000_999, 1_700_000_000],
    [-1, -1]
  ])("converts %i ms to %i s", (instant, seconds) => {
    assert.strictEqual(toUnixSeconds(instant), seconds)
  })
})
