import type { JsonObject } from "@wcs/domain/shared/Json"
import { ids } from "../Requests.ts"
import { shownAs } from "../ShownAs.ts"
import { account, answer, asSent, bodyOf, created, laterDate, other, page, time } from "./Shapes.ts"

const ban = {
  ...{ id: ids.ban, type: "ban", register: "ndis", worker: { id: ids.ann }, checkedAt: time },
  ...{ eligibility: "REVIEW_REQUIRED", matches: [], ...created }
}

const ann = { id: ids.ann, externalId: "hr-4711" }

const cy = { id: ids.cy, externalId: "hr-4712" }

const check = "works-with-children"

const bothTypes = ["WWCC_NSW", "WWCC_VIC"]

const cell = (result: string, missingCredentialTypes: ReadonlyArray<string>): JsonObject => ({
  checks: [{ complianceCheckId: check, result, missingCredentialTypes, reviews: [], failingCredentials: [], bans: [] }]
})

/** Parts of the rows of the report of verifications. */
const annReported = {
  ...{ workerId: ids.ann, externalId: "hr-4711", displayName: "Ann Example", birthDate: "1990-04-17" },
  ...{ engagement: "PAID", workerStatus: "ON_LEAVE" }
}

const cardReported = (credentialId: string, credentialType: string, identifier: string) => ({
  ...{ credentialId, credentialType, identifier },
  ...{ verifiedOn: time.slice(0, 10), eligibility: "MAY_ENGAGE", statusDetail: "VALID" }
})

export const screening = {
  ...asSent("exemptions", "exemption", ids.exemption, { worker: { id: ids.ann } }),
  ...asSent("screeningPackages", "screeningPackage", "aged-care", { active: true }),
  ...asSent("complianceChecks", "complianceCheck", check, {
    ...{ enabled: true, requirement: { credentialTypes: bothTypes, mode: "ANY", exemptionsCount: false } }
  }),
  "complianceChecks.evaluate": page(
    [{ worker: ann, result: "PASS", missingCredentialTypes: [], reviews: [], failingCredentials: [], bans: [] }],
    1
  ),
  "complianceChecks.matrix": page([
    { worker: { ...ann, displayName: "Ann Example" }, ...cell("PASS", []) },
    { worker: { ...cy, displayName: "Cy Example" }, ...cell("FAIL", bothTypes) }
  ]),
  "reports.verifications": page([
    { ...annReported, ...cardReported(ids.credential, "WWCC_NSW", "WWC1234567E"), expiryDate: null },
    { ...annReported, ...cardReported(ids.reviewed, "WWVP_ACT", "1234567"), expiryDate: laterDate },
    {
      ...{ workerId: ids.cy, externalId: "hr-4712", displayName: "Cy Example", birthDate: null },
      ...{ engagement: null, workerStatus: null, credentialId: null, credentialType: null, identifier: null },
      ...{ verifiedOn: null, eligibility: null, statusDetail: null, expiryDate: null }
    }
  ]),
  "workers.proof": answer({
    ...{ form: "wcs proof 1", requestId: shownAs.requestId, proves: [], doesNotProve: [], tenantId: other("tnt", 1) },
    ...{ organization: "default", asOf: time, day: time.slice(0, 10), timeZone: "Australia/Sydney", madeAt: time },
    ...{
      madeBy: account,
      rulesVersion: 2,
      factsVersion: 1,
      workerId: ids.ann,
      erasedAt: null,
      remarks: [],
      nextSealDue: null
    },
    cards: [
      { ...annReported, ...cardReported(ids.credential, "WWCC_NSW", "WWC1234567E"), expiryDate: null },
      { ...annReported, ...cardReported(ids.reviewed, "WWVP_ACT", "1234567"), expiryDate: laterDate }
    ].map((card) => ({ ...card, decision: null, isSealed: true })),
    checks: [
      {
        ...{ complianceCheckId: check, displayName: "Works with children", result: "PASS", missingCredentialTypes: [] },
        ...{ reviews: [], failingCredentials: [], bans: [], isSealed: true }
      }
    ],
    exemptions: [
      {
        ...{ id: ids.exemption, exemptionType: "MEDICAL", exemptedCredentialTypes: ["POLICE_CHECK_NATIONAL"] },
        ...{ issueDate: null, expiryDate: "2031-06-30", grantedBy: "Dana Example" },
        ...{ reason: "Until the medical certificate is renewed", isSealed: true }
      }
    ],
    people: [{ account, name: "super@example.org" }],
    ...{ records: [], entries: [], seals: [], keys: [], digests: {}, signature: shownAs.accessToken }
  }),
  "bans.list": page([ban]),
  "bans.read": answer(ban),
  "bans.decidable": answer({ outcomes: ["MAY_ENGAGE", "MAY_NOT_ENGAGE"], until: laterDate }),
  "bans.decisions": answer({
    ...ban,
    decision: { ...bodyOf("bans.decisions"), decidedAt: time, account }
  })
}
