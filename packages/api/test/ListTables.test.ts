import { assert, it } from "@effect/vitest"
import { matrixTable } from "@wcs/api/ListTables"

it("R5, R15: a row of the matrix has the reasons of each failed check", () => {
  const check = {
    complianceCheckId: "children",
    result: "FAIL",
    missingCredentialTypes: ["WWCC_NSW", "WWCC_VIC"],
    reviews: [{ credentialType: "WWCC_NSW", statusDetail: "VOLUNTEER_ONLY" }],
    failingCredentials: [
      {
        id: "crd_0123456789abcDEF",
        credentialType: "WWCC_NSW",
        statusDetail: "BARRED",
        since: "2026-10-03T00:00:00.000Z"
      },
      { id: "crd_0123456789abcDEG", credentialType: "WWCC_VIC", statusDetail: "EXPIRED", expiryDate: "2026-09-30" }
    ],
    bans: [{ id: "urn:wcs:ban:ndis-bans:2026-0042", eligibility: "REVIEW_REQUIRED" }]
  } as const
  const worker = { id: "wkr_0123456789abcDEF", displayName: "Rea Reasons" }
  assert.deepStrictEqual(matrixTable.rowOf({ worker, checks: [check] }), {
    workerId: worker.id,
    externalId: null,
    displayName: "Rea Reasons",
    children: "FAIL",
    "children missing": "WWCC_NSW WWCC_VIC",
    "children reviews": "WWCC_NSW: VOLUNTEER_ONLY",
    "children failing credentials": "WWCC_NSW: BARRED 2026-10-03T00:00:00.000Z, WWCC_VIC: EXPIRED 2026-09-30",
    "children bans": "urn:wcs:ban:ndis-bans:2026-0042: REVIEW_REQUIRED"
  })
})
