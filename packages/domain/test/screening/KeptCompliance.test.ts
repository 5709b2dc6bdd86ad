import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import type { BanDecision } from "@wcs/domain/holding/BanDecision"
import type { CredentialFields } from "@wcs/domain/holding/Credential"
import type { ExemptionFields } from "@wcs/domain/holding/Exemption"
import { type Eligibility, eligibilities, statusDetails } from "@wcs/domain/holding/Verification"
import type { WorkerFields } from "@wcs/domain/people/Worker"
import { bansThatCount, judge, rulesVersion, withBans } from "@wcs/domain/screening/ComplianceEvaluation"
import { endless, lastDayOf } from "@wcs/domain/screening/WorkerJudgements"
import { given, stored } from "./StoredFields.ts"

const today = "2026-01-31"
const id = "wkr_00000000000000aa"
const days = ["2026-01-30", today, "2026-02-01"]
const perhaps = <A>(values: ReadonlyArray<A>): ReadonlyArray<A | undefined> => [undefined, ...values]

const card = (attributes: Partial<CredentialFields["attributes"]>) =>
  stored<CredentialFields>({
    attributes: { credentialType: "WWCC_NSW", owners: { worker: id, applicant: null }, ...attributes }
  })

const decisionUntil = (endsOn: string, outcome: "MAY_ENGAGE" | "MAY_NOT_ENGAGE") => ({
  outcome,
  reason: "because",
  endsOn,
  about: ["CONDITIONAL", "VOLUNTEER_ONLY"] as const,
  decidedAt: "2026-01-29T00:00:00.000Z",
  account: "urn:wcs:account:acc_1"
})

const exemption = (fields: Partial<ExemptionFields>) =>
  stored<ExemptionFields>({
    exemptionType: "MEDICAL",
    worker: { id },
    exemptedCredentialTypes: ["FIRST_AID"],
    ...fields
  })

const person = (employment: NonNullable<WorkerFields["employment"]>) =>
  stored<WorkerFields>({ identity: { displayName: "Ann" }, employment }, { id })

/** One card of each verdict, day, kind and number. */
const cards = perhaps(eligibilities.flatMap((word) => statusDetails[word].map((detail) => [word, detail] as const)))
  .flatMap((verdict) =>
    perhaps(days).flatMap((expiryDate) =>
      (
        [
          { credentialType: "WWCC_NSW", identifier: "WWC1234567E" },
          { credentialType: "WWCC_NSW", identifier: "WWC1234567V" },
          { credentialType: "WWCC_NSW", identifier: "APP1234567" },
          { credentialType: "WWCC_VIC", cardType: "Volunteer" },
          { credentialType: "FIRST_AID" }
        ] as const
      ).map((kind) =>
        card({ ...kind, ...given({ expiryDate, eligibility: verdict?.[0], statusDetail: verdict?.[1] }) })
      )
    )
  )
  .map((one) => ({ credentials: [one], exemptions: [] }))

const exemptions = perhaps(days).flatMap((issueDate) =>
  perhaps(days).map((expiryDate) => ({
    credentials: [],
    exemptions: [exemption(given({ issueDate, expiryDate }))]
  }))
)

const banOf = (eligibility: Eligibility, decision?: BanDecision) =>
  stored({
    ...{ register: "ndis", worker: { id }, checkedAt: "2026-01-30T00:00:00.000Z", eligibility, matches: [] },
    ...(decision && { decision })
  })
const decidedBan = (endsOn: string) => {
  const by = { decidedAt: "2026-01-30T00:00:00.000Z", account: "urn:wcs:account:acc_1" }
  return banOf("REVIEW_REQUIRED", { outcome: "MAY_ENGAGE", reason: "test", endsOn, ...by })
}

const bans = perhaps(eligibilities).map((eligibility) =>
  bansThatCount(eligibility === undefined ? [] : [banOf(eligibility)], today)
)

/** Decided cards of each verdict. */
const decided = eligibilities
  .flatMap((word) => statusDetails[word].map((detail) => [word, detail] as const))
  .flatMap(([eligibility, statusDetail]) =>
    days.flatMap((endsOn) =>
      (["MAY_ENGAGE", "MAY_NOT_ENGAGE"] as const).map((outcome) =>
        card({ identifier: "WWC1234567V", eligibility, statusDetail, decision: decisionUntil(endsOn, outcome) })
      )
    )
  )
  .map((one) => ({ credentials: [one], exemptions: [] }))

/** The results of all these workers in all these checks. */
const results = function* () {
  for (const workerType of perhaps(["EMPLOYEE", "VOLUNTEER", "CONTRACTOR"] as const)) {
    for (const holdings of [...cards, ...exemptions, ...decided]) {
      for (const exemptionsCount of [true, false]) {
        for (const mode of ["ALL", "ANY"] as const) {
          const requirement = { credentialTypes: ["WWCC_NSW", "WWCC_VIC", "FIRST_AID"], mode, exemptionsCount }
          yield judge(requirement, person(given({ workerType })), holdings, today)
        }
      }
    }
  }
  for (const counted of bans)
    yield withBans({ result: "PASS", missingCredentialTypes: [], reviews: [], failingCredentials: [] }, counted)
}

describe("kept compliance", () => {
  it("the rules of evaluation have a new version if they give other results", () => {
    const hash = createHash("sha256")
    for (const result of results()) hash.update(JSON.stringify(result))
    // If the digest differs, raise `rulesVersion`, and then write both here.
    assert.deepStrictEqual(
      [rulesVersion, hash.digest("hex")],
      [2, "262d86a390fffd6d08bbec9aa361f2719f020e9878352ee8bcc21e691e315ace"]
    )
  })

  for (const [what, employment, holdings, last, bans = []] of [
    ["nothing that a day changes", {}, {}, endless],
    ["a card until today", {}, { credentials: [card({ expiryDate: today })] }, today],
    ["a card that has expired", {}, { credentials: [card({ expiryDate: "2026-01-30" })] }, endless],
    [
      "a decision until today",
      {},
      { credentials: [card({ expiryDate: "2026-02-04", decision: decisionUntil(today, "MAY_ENGAGE") })] },
      today
    ],
    ["an exemption that begins", {}, { exemptions: [exemption({ issueDate: "2026-02-04" })] }, "2026-02-03"],
    ["an exemption that ends", {}, { exemptions: [exemption({ expiryDate: "2026-02-04" })] }, "2026-02-04"],
    [
      "a last day of work",
      { endDate: "2026-02-03" },
      { credentials: [card({ expiryDate: "2026-02-04" })] },
      "2026-02-03"
    ],
    ["a last day of work that has passed", { endDate: "2026-01-30" }, {}, endless],
    ["a decided ban", {}, {}, "2026-02-04", [decidedBan("2026-02-04")]]
  ] as const) {
    it(`the results of a worker with ${what} stay until ${last}`, () => {
      const held = { credentials: [], exemptions: [], ...holdings }
      assert.strictEqual(lastDayOf(person(employment).fields, held, bans, today), last)
    })
  }
})
