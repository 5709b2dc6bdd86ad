import { assert, describe, it } from "@effect/vitest"
import { letsEngage, reviewOf } from "@wcs/domain/holding/Clearance"
import { eligibilities, statusDetails, verdictOf } from "@wcs/domain/holding/Verification"
import { fieldsWith } from "../credential/CredentialFixtures.ts"

describe("Clearance", () => {
  // type, number, card type, engagement, verdict
  const rows = [
    ["WWCC_NSW", "WWC1234567V", undefined, "EMPLOYEE", "VOLUNTEER_ONLY"],
    ["WWCC_NSW", "WWC1234567V", undefined, "CONTRACTOR", "VOLUNTEER_ONLY"],
    ["WWCC_NSW", "WWC1234567V", undefined, "VOLUNTEER", "VALID"],
    ["WWCC_NSW", "WWC1234567V", undefined, undefined, "VALID"],
    ["WWCC_NSW", "WWC1234567E", undefined, "EMPLOYEE", "VALID"],
    ["WWCC_VIC", "1234567A-01", "V", "EMPLOYEE", "VOLUNTEER_ONLY"],
    ["WWCC_VIC", "1234567A-01", "Volunteer", "CONTRACTOR", "VOLUNTEER_ONLY"],
    ["WWCC_VIC", "1234567A-01", "E", "EMPLOYEE", "VALID"],
    ["WWCC_VIC", "1234567V", undefined, "EMPLOYEE", "VALID"],
    ["WWCC_SA", "123456", "V", "EMPLOYEE", "VALID"],
    ["WWCC_NSW", "APP123456", undefined, undefined, "APPLICATION_IN_PROGRESS"]
  ] as const
  it.each(rows)(
    "R5, R9: %s %s, card type %s, of %s reads as %s",
    (credentialType, identifier, cardType, as, expected) => {
      const read = fieldsWith({
        credentialType,
        identifier,
        ...(cardType === undefined ? {} : { cardType }),
        ...verdictOf("VALID")
      })
      assert.strictEqual(reviewOf(read, as), expected === "VALID" ? undefined : expected)
      assert.strictEqual(letsEngage(read, as), expected === "VALID")
    }
  )

  it("R5: never makes a verdict better, keeps the register's own review, and needs no answer of the register", () => {
    for (const eligibility of eligibilities.filter((one) => one !== "MAY_ENGAGE")) {
      for (const detail of statusDetails[eligibility]) {
        const read = fieldsWith({ identifier: "WWC1234567V", ...verdictOf(detail) })
        const own = eligibility === "REVIEW_REQUIRED" ? detail : "VOLUNTEER_ONLY"
        assert.strictEqual(reviewOf(read, "EMPLOYEE"), eligibility === "MAY_NOT_ENGAGE" ? undefined : own)
        assert.isFalse(letsEngage(read, "EMPLOYEE"))
      }
    }
  })

  it("needs no verdict of a type that no register verifies", () => {
    assert.isTrue(letsEngage(fieldsWith({ credentialType: "FIRST_AID" })))
    assert.isFalse(letsEngage(fieldsWith({})))
  })
})
