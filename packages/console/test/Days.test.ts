import { dayAfter, dayAt, daysBetween, momentOf } from "@wcs/console/widgets/Days"
import { assert, it } from "vitest"

it("takes the day of the organization's time zone", () => {
  const now = new Date("2026-03-01T20:00:00Z")
  assert.strictEqual(dayAt(now, "Australia/Sydney"), "2026-03-02")
  assert.strictEqual(dayAt(now, "UTC"), "2026-03-01")
})

it("finds the moment of a time of day in a time zone, with the clocks changed or not", () => {
  for (const [local, timeZone, moment] of [
    ["2026-07-02T00:00", "Australia/Sydney", "2026-07-01T14:00:00.000Z"],
    ["2026-01-02T00:00", "Australia/Sydney", "2026-01-01T13:00:00.000Z"],
    ["2026-04-05T02:30", "Australia/Sydney", "2026-04-04T15:30:00.000Z"], // twice: the first one
    ["2026-10-04T00:00", "Australia/Sydney", "2026-10-03T14:00:00.000Z"],
    ["2026-10-04T03:00", "Australia/Sydney", "2026-10-03T16:00:00.000Z"],
    ["2026-01-02T08:15", "Australia/Lord_Howe", "2026-01-01T21:15:00.000Z"],
    ["2026-07-02T08:15", "Australia/Lord_Howe", "2026-07-01T21:45:00.000Z"],
    ["2026-07-02T00:00", "Pacific/Kiritimati", "2026-07-01T10:00:00.000Z"],
    ["2026-07-01T00:00", "Pacific/Pago_Pago", "2026-07-01T11:00:00.000Z"],
    ["2026-04-24T00:00", "Africa/Cairo", "2026-04-23T22:00:00.000Z"] // skipped: the day begins at 01:00
  ] as const) {
    assert.strictEqual(momentOf(local, timeZone), moment, `${local} in ${timeZone}`)
  }
})

it("begins each day of a year at the first moment of the day in the time zone", () => {
  for (const timeZone of ["Australia/Sydney", "Australia/Lord_Howe", "Africa/Cairo", "America/New_York", "UTC"]) {
    for (let day = "2026-01-01"; day < "2027-01-01"; day = dayAfter(day, 1)) {
      const start = Date.parse(momentOf(`${day}T00:00`, timeZone))
      const days = [start - 1, start].map((millis) => dayAt(new Date(millis), timeZone))
      assert.deepStrictEqual(days, [dayAfter(day, -1), day], timeZone)
    }
  }
})

it("counts days over a change of the clocks and a leap day", () => {
  assert.strictEqual(daysBetween("2028-02-28", "2028-03-01"), 2)
  assert.strictEqual(dayAfter("2026-10-03", 2), "2026-10-05")
})
