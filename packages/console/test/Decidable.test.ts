import { isDecidable } from "@wcs/console/credentials/Decidable"
import { assert, it } from "vitest"

const attributes = { credentialType: "WWCC_NSW", owners: { worker: null, applicant: null } } as const
const decision = {
  outcome: "MAY_NOT_ENGAGE",
  reason: "because",
  endsOn: "2026-01-31",
  about: ["CONDITIONAL"],
  decidedAt: "2026-01-31T00:00:00Z",
  account: "urn:wcs:account:acc_1"
} as const

// number, verdict
it.each([
  ["WWC1234567V", "MAY_ENGAGE", "VALID", true],
  ["WWC1234567V", "IN_PROGRESS", "PENDING", true],
  ["APP1234567", "ERROR", "SOURCE_UNAVAILABLE", true],
  ["WWC1234567V", "MAY_NOT_ENGAGE", "BARRED", false],
  ["WWC1234567E", "IN_PROGRESS", "PENDING", false],
  ["WWC1234567E", "REVIEW_REQUIRED", "CONDITIONAL", true],
  ["WWC1234567E", "MAY_ENGAGE", "VALID", false]
] as const)("%s with %s %s can be decided: %s", (identifier, eligibility, statusDetail, expected) => {
  assert.strictEqual(isDecidable({ ...attributes, identifier, eligibility, statusDetail }, false), expected)
})

it("a decision in force can be replaced, also if no question is open", () => {
  const valid = { ...attributes, identifier: "WWC1234567E", eligibility: "MAY_ENGAGE", statusDetail: "VALID" } as const
  assert.isTrue(isDecidable({ ...valid, decision }, false))
})
