import { dayAfter, dayAt, daysBetween } from "@wcs/console/widgets/Days"
import { assert, it } from "vitest"

it("takes the day of the organization's time zone", () => {
  const now = new Date("2026-03-01T20:00:00Z")
  assert.strictEqual(dayAt(now, "Australia/Sydney"), "2026-03-02")
  assert.strictEqual(dayAt(now, "UTC"), "2026-03-01")
})

it("counts days over a change of the clocks and a leap day", () => {
  assert.strictEqual(daysBetween("2028-02-28", "2028-03-01"), 2)
  assert.strictEqual(dayAfter("2026-10-03", 2), "2026-10-05")
})
