import { assert, describe, it } from "@effect/vitest"
import { eligibilities, eligibilityOf, lapsed, pending, statusDetails } from "@wcs/domain/holding/Verification"

/** DECISIONS.md#fields. */
const expected = {
  MAY_ENGAGE: "VALID VALID_EXPIRING",
  MAY_NOT_ENGAGE:
    "EXPIRED SUSPENDED CANCELLED REVOKED SURRENDERED BARRED INTERIM_BARRED NEGATIVE_NOTICE EXCLUDED WITHDRAWN " +
    "NOT_FOUND NAME_MISMATCH DETAILS_MISMATCH",
  REVIEW_REQUIRED:
    "APPLICATION_IN_PROGRESS CONDITIONAL VOLUNTEER_ONLY POSSIBLE_MATCH MANUAL_REVIEW_REQUIRED DETAILS_MISSING",
  IN_PROGRESS: "PENDING QUEUED_MANUAL",
  ERROR: "SOURCE_UNAVAILABLE SOURCE_TIMEOUT SOURCE_NOT_CONFIGURED INTERNAL_ERROR"
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
})
