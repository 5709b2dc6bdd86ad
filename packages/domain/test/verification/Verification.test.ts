import { assert, describe, it } from "@effect/vitest"
import {
  dayAt,
  defaultTimeZone,
  eligibilities,
  eligibilityOf,
  isLapsed,
  lapsed,
  pending,
  statusDetails
} from "@wcs/domain/verification/Verification"
import * as fc from "fast-check"

/** DECISIONS.md, §2. */
const expected = {
  MAY_ENGAGE: "VALID VALID_EXPIRING",
  MAY_NOT_ENGAGE:
    "EXPIRED SUSPENDED CANCELLED REVOKED SURRENDERED BARRED INTERIM_BARRED NEGATIVE_NOTICE EXCLUDED WITHDRAWN " +
    "NOT_FOUND NAME_MISMATCH DETAILS_MISMATCH",
  REVIEW_REQUIRED: "APPLICATION_IN_PROGRESS CONDITIONAL VOLUNTEER_ONLY POSSIBLE_MATCH MANUAL_REVIEW_REQUIRED",
  IN_PROGRESS: "PENDING QUEUED_MANUAL",
  ERROR: "SOURCE_UNAVAILABLE SOURCE_TIMEOUT INTERNAL_ERROR"
}

describe("Verification", () => {
  it("SIL-20: has the eligibilities and status details of DECISIONS.md", () => {
    const known = Object.fromEntries(
      eligibilities.map((eligibility) => [eligibility, statusDetails[eligibility].join(" ")])
    )
    assert.deepStrictEqual(known, expected)
  })

  it("assigns each status detail to one eligibility", () => {
    const all = eligibilities.flatMap((eligibility) =>
      statusDetails[eligibility].map((detail) => ({ detail, eligibility }))
    )
    assert.lengthOf(new Set(all.map(({ detail }) => detail)), all.length)
    for (const { detail, eligibility } of all) assert.strictEqual(eligibilityOf(detail), eligibility)
  })

  it("is pending before a register was asked, and expired after the last day", () => {
    assert.deepStrictEqual(pending, { eligibility: "IN_PROGRESS", statusDetail: "PENDING" })
    assert.deepStrictEqual(lapsed, { eligibility: "MAY_NOT_ENGAGE", statusDetail: "EXPIRED" })
  })

  it.each([
    ["2026-03-02", false],
    ["2026-03-01", false],
    ["2026-02-28", true],
    ["1999-12-31", true],
    [undefined, false]
  ])("valid until %s it is lapsed on 2026-03-01: %j", (expiryDate, expected) => {
    assert.strictEqual(isLapsed(expiryDate, "2026-03-01"), expected)
  })

  describe("threat 41: the day is the calendar day in the tenant's zone", () => {
    it.each([
      ["in winter, before midnight in Sydney", "2026-07-01T13:59:59.999Z", "2026-07-01"],
      ["in winter, at midnight in Sydney", "2026-07-01T14:00:00.000Z", "2026-07-02"],
      ["in summer, before midnight in Sydney", "2026-01-01T12:59:59.999Z", "2026-01-01"],
      ["in summer, at midnight in Sydney", "2026-01-01T13:00:00.000Z", "2026-01-02"],
      ["on the night that summer time ends, before its second two o'clock", "2026-04-04T15:30:00.000Z", "2026-04-05"],
      ["on the night that summer time ends, after it", "2026-04-04T16:30:00.000Z", "2026-04-05"],
      ["at the midnight before summer time begins", "2026-10-03T14:00:00.000Z", "2026-10-04"],
      ["on a leap day", "2024-02-29T00:00:00.000Z", "2024-02-29"],
      ["at the end of a year", "2026-12-31T13:00:00.000Z", "2027-01-01"]
    ])("%s", (_name, time, day) => {
      assert.strictEqual(defaultTimeZone, "Australia/Sydney")
      assert.strictEqual(dayAt(Date.parse(time)), day)
    })

    it("returns the day of another zone", () => {
      const instant = Date.parse("2026-07-01T13:59:59.999Z")
      assert.strictEqual(dayAt(instant, "Australia/Perth"), "2026-07-01")
      assert.strictEqual(dayAt(instant, "Pacific/Auckland"), "2026-07-02")
      assert.strictEqual(dayAt(instant, "UTC"), "2026-07-01")
    })

    it("never goes back, and is always a valid day", () => {
      fc.assert(
        fc.property(fc.nat(4e12), fc.nat(4e10), (instant, later) => {
          assert.match(dayAt(instant), /^\d{4}-\d{2}-\d{2}$/)
          assert.isTrue(dayAt(instant) <= dayAt(instant + later))
        })
      )
    })
  })
})
