import { assert, describe, it } from "@effect/vitest"
import {
  dayAt,
  defaultTimeZone,
  endOfDay,
  instantOn,
  isLapsed,
  isTimeZone,
  momentAt
} from "@wcs/domain/shared/CalendarDay"
import * as fc from "fast-check"

/** The last millisecond of a day and the first one of the next day. */
const midnights: ReadonlyArray<
  readonly [zone: string, occasion: string, next: string, today: string, tomorrow: string]
> = [
  ["Australia/Sydney", "in winter", "2026-07-01T14:00:00Z", "2026-07-01", "2026-07-02"],
  ["Australia/Sydney", "in summer", "2026-01-01T13:00:00Z", "2026-01-01", "2026-01-02"],
  ["Australia/Sydney", "before daylight saving ends", "2026-04-04T13:00:00Z", "2026-04-04", "2026-04-05"],
  ["Australia/Sydney", "after daylight saving ended", "2026-04-05T14:00:00Z", "2026-04-05", "2026-04-06"],
  ["Australia/Sydney", "before daylight saving begins", "2026-10-03T14:00:00Z", "2026-10-03", "2026-10-04"],
  ["Australia/Sydney", "after daylight saving began", "2026-10-04T13:00:00Z", "2026-10-04", "2026-10-05"],
  ["Australia/Sydney", "on a leap day", "2024-02-28T13:00:00Z", "2024-02-28", "2024-02-29"],
  ["Australia/Sydney", "at the end of a year", "2026-12-31T13:00:00Z", "2026-12-31", "2027-01-01"],
  ["Australia/Perth", "without daylight saving", "2026-01-01T16:00:00Z", "2026-01-01", "2026-01-02"],
  ["Australia/Lord_Howe", "in winter", "2026-07-01T13:30:00Z", "2026-07-01", "2026-07-02"],
  ["Australia/Lord_Howe", "in summer, half an hour earlier", "2026-01-01T13:00:00Z", "2026-01-01", "2026-01-02"],
  ["Asia/Kathmandu", "at a quarter of an hour", "2026-07-01T18:15:00Z", "2026-07-01", "2026-07-02"],
  ["Africa/Cairo", "when daylight saving begins at midnight", "2026-04-23T22:00:00Z", "2026-04-23", "2026-04-24"],
  ["America/New_York", "west of Greenwich", "2026-07-02T04:00:00Z", "2026-07-01", "2026-07-02"],
  ["Pacific/Kiritimati", "furthest east", "2026-07-01T10:00:00Z", "2026-07-01", "2026-07-02"],
  ["Pacific/Pago_Pago", "furthest west", "2026-07-01T11:00:00Z", "2026-06-30", "2026-07-01"],
  ["UTC", "", "2026-07-02T00:00:00Z", "2026-07-01", "2026-07-02"]
]

const zones = [...new Set(midnights.map(([zone]) => zone))]

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

  describe("threat 41: the day of a time zone changes at its midnight", () => {
    it.each(midnights)("in %s %s", (zone, _occasion, next, today, tomorrow) => {
      const midnight = Date.parse(next)
      assert.deepStrictEqual([dayAt(midnight - 1, zone), dayAt(midnight, zone)], [today, tomorrow])
      assert.strictEqual(endOfDay(today, zone), midnight - 1)
      assert.deepStrictEqual(momentAt(midnight, zone), { now: midnight, today: tomorrow })
    })

    it("is Sydney's for a tenant without another zone", () => {
      assert.strictEqual(defaultTimeZone, "Australia/Sydney")
    })

    it("is YYYY-MM-DD, never earlier for a later instant, and never depends on the zones asked before", () => {
      fc.assert(
        fc.property(fc.constantFrom(...zones), fc.nat(4e12), fc.nat(4e10), (zone, instant, later) => {
          const day = dayAt(instant, zone)
          assert.match(day, /^\d{4}-\d{2}-\d{2}$/)
          for (const other of zones) dayAt(instant, other)
          assert.strictEqual(dayAt(instant, zone), day)
          assert.isTrue(day <= dayAt(instant + later, zone))
        })
      )
    })

    it("has an instant in each zone", () => {
      fc.assert(
        fc.property(
          fc.constantFrom(...zones, "Pacific/Chatham", "Pacific/Kiritimati"),
          fc.nat(4e12),
          (zone, instant) => {
            const day = dayAt(instant, zone)
            assert.strictEqual(dayAt(instantOn(day, zone), zone), day)
          }
        )
      )
    })

    it("is two days ahead in the furthest east of the furthest west, for an hour of each day", () => {
      const days = (time: string) =>
        ["Pacific/Kiritimati", "Pacific/Pago_Pago"].map((zone) => dayAt(Date.parse(`2026-07-01T${time}Z`), zone))
      assert.deepStrictEqual(days("09:59:59"), ["2026-07-01", "2026-06-30"])
      assert.deepStrictEqual(days("10:30:00"), ["2026-07-02", "2026-06-30"])
      assert.deepStrictEqual(days("11:00:00"), ["2026-07-02", "2026-07-01"])
    })
  })

  it("accepts the names of time zones that the runtime knows, and nothing else", () => {
    const names = [...zones, "America/Argentina/Buenos_Aires", "Etc/GMT+5", "Europe/Kyiv"]
    assert.deepStrictEqual(names.filter(isTimeZone), names)
    const others = [
      "",
      "Sydney",
      "Australia/Sidney",
      "+10:00",
      "-0300",
      " UTC",
      "UTC ",
      "a\0b",
      "../etc",
      "A".repeat(70)
    ]
    assert.deepStrictEqual(others.filter(isTimeZone), [])
  })
})
