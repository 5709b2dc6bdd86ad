import { assert, describe, it } from "@effect/vitest"
import type { BanFields } from "@wcs/domain/holding/Ban"
import type { CredentialFields } from "@wcs/domain/holding/Credential"
import type { ExemptionFields } from "@wcs/domain/holding/Exemption"
import { eligibilities, type StatusDetail, statusDetails, verdictOf } from "@wcs/domain/holding/Verification"
import {
  bansThatCount,
  EvaluationRequest,
  judge,
  namedLimit,
  withBans
} from "@wcs/domain/screening/ComplianceEvaluation"
import { Result, Schema } from "effect"
import * as fc from "fast-check"
import { given, stored } from "./StoredFields.ts"

const today = "2026-01-31"
const banFields = {
  register: "ndis",
  worker: { id: "wkr_00000000000000aa" },
  checkedAt: "2026-01-30T00:00:00.000Z",
  matches: []
}
const [ann, bob, app] = ["wkr_00000000000000aa", "wkr_00000000000000bb", "app_00000000000000aa"]
const types = ["WWCC_NSW", "FIRST_AID", "AHPRA_REGISTRATION"] as const

const eligibility = fc.option(fc.constantFrom(...eligibilities), { nil: undefined })
const day = fc.constantFrom("2025-12-31", "2026-01-30", today, "2026-02-01", "2027-01-01")
const perhapsDay = fc.option(day, { nil: undefined })
const owner = fc.constantFrom(ann, bob, null)

const anyCredential = fc
  .record({ type: fc.constantFrom(...types), eligibility, expiryDate: perhapsDay, worker: owner })
  .map(({ eligibility, expiryDate, type, worker }) =>
    stored<CredentialFields>({
      attributes: {
        credentialType: type,
        ...given({ eligibility, expiryDate }),
        ...(eligibility === undefined ? {} : { statusDetail: statusDetails[eligibility][0] }),
        owners: { worker, applicant: app }
      }
    })
  )

const anyExemption = fc
  .record({ exempted: fc.subarray([...types]), worker: owner, issueDate: perhapsDay, expiryDate: perhapsDay })
  .map(({ exempted, expiryDate, issueDate, worker }) =>
    stored<ExemptionFields>({
      exemptionType: "MEDICAL",
      ...(worker === null ? { applicant: { id: app } } : { worker: { id: worker } }),
      exemptedCredentialTypes: exempted,
      ...given({ issueDate, expiryDate })
    })
  )

const anyHoldings = fc.record({
  credentials: fc.array(anyCredential, { maxLength: 6 }),
  exemptions: fc.array(anyExemption, { maxLength: 4 })
})

const anyRequirement = fc.record({
  credentialTypes: fc.array(fc.constantFrom(...types), { minLength: 1, maxLength: 4 }),
  mode: fc.constantFrom("ALL" as const, "ANY" as const),
  exemptionsCount: fc.boolean()
})

describe("ComplianceEvaluation", () => {
  it("ALL needs every type and ANY one, by the worker's holdings that count today; names the missing types in order", () => {
    fc.assert(
      fc.property(anyRequirement, anyHoldings, (asked, held) => {
        const holds = (type: string) =>
          held.credentials.some(({ fields: { attributes } }) => {
            const { credentialType, eligibility, expiryDate, owners } = attributes
            const engages = eligibility === "MAY_ENGAGE" || (eligibility === undefined && type === "FIRST_AID")
            return credentialType === type && owners.worker === ann && engages && (expiryDate ?? today) >= today
          })
        const isExempted = (type: string) =>
          held.exemptions.some(({ fields: { exemptedCredentialTypes, expiryDate, issueDate, worker } }) => {
            const isNow = (issueDate ?? today) <= today && (expiryDate ?? today) >= today
            return worker?.id === ann && isNow && exemptedCredentialTypes?.includes(type)
          })
        const order = [...new Set<string>(asked.credentialTypes)]
        const lacking = order.filter((type) => !holds(type) && !(asked.exemptionsCount && isExempted(type)))
        const missing = asked.mode === "ANY" && lacking.length < order.length ? [] : lacking
        const judged = judge(asked, { id: ann, fields: {} }, held, today)
        assert.deepStrictEqual([...judged.missingCredentialTypes], missing)
        assert.strictEqual(judged.result, missing.length === 0 ? "PASS" : "FAIL")
      }),
      { numRuns: 1_000 }
    )
  })

  const nsw = { credentialTypes: ["WWCC_NSW"], mode: "ALL", exemptionsCount: false } as const
  const card = (identifier: string, statusDetail: StatusDetail = "VALID") => ({
    credentials: [
      stored<CredentialFields>({
        attributes: {
          credentialType: "WWCC_NSW",
          identifier,
          ...verdictOf(statusDetail),
          owners: { worker: ann, applicant: null }
        }
      })
    ],
    exemptions: []
  })
  it.each([
    ["R5: a card for volunteers", "WWC1234567V", "EMPLOYEE", "VALID", "VOLUNTEER_ONLY"],
    ["R5: a card for volunteers", "WWC1234567V", "CONTRACTOR", "VALID", "VOLUNTEER_ONLY"],
    ["R5: without an answer, a card for volunteers", "WWC1234567V", "EMPLOYEE", "PENDING", "VOLUNTEER_ONLY"],
    ["R9: an application", "APP1234567", "VOLUNTEER", "VALID", "APPLICATION_IN_PROGRESS"],
    ["a condition of the register", "WWC1234567E", "EMPLOYEE", "CONDITIONAL", "CONDITIONAL"]
  ] as const)("%s (%s) of a %s that is %s needs a review: %s", (_, identifier, workerType, said, statusDetail) => {
    const judged = judge(nsw, { id: ann, fields: { employment: { workerType } } }, card(identifier, said), today)
    assert.deepStrictEqual(judged, {
      result: "FAIL",
      missingCredentialTypes: ["WWCC_NSW"],
      reviews: [{ credentialType: "WWCC_NSW", statusDetail }],
      failingCredentials: [{ id: "cap_00000000000000aa", credentialType: "WWCC_NSW", statusDetail }]
    })
  })

  it("R9: an application needs no review once its check clears the worker", () => {
    const both = {
      credentials: [...card("APP1234567").credentials, ...card("WWC1234567E").credentials],
      exemptions: []
    }
    assert.deepStrictEqual(judge(nsw, { id: ann, fields: {} }, both, today), {
      result: "PASS",
      missingCredentialTypes: [],
      reviews: [],
      failingCredentials: []
    })
  })

  const held = (id: string, statusDetail: StatusDetail, more: Partial<CredentialFields["attributes"]> = {}) =>
    stored<CredentialFields>(
      {
        attributes: {
          credentialType: "WWCC_NSW",
          ...verdictOf(statusDetail),
          ...more,
          owners: { worker: ann, applicant: null }
        }
      },
      { id }
    )
  const [before, since] = ["2025-10-02T00:00:00.000Z", "2025-10-03T00:00:00.000Z"]
  const barred = { id: "b", credentialType: "WWCC_NSW", statusDetail: "BARRED", since } as const
  it.each([
    ["no card", [], undefined],
    [
      "a bar before a later expired card and a review",
      [
        held("a", "CONDITIONAL"),
        held("b", "BARRED", { statusSince: since, lastVerifiedAt: "2026-01-30T00:00:00.000Z" }),
        held("c", "VALID", { expiryDate: "2026-01-30" })
      ],
      barred
    ],
    ["the newest of two bars", [held("a", "BARRED"), held("b", "BARRED", { statusSince: since })], barred],
    ["the last verdict of an earlier release", [held("b", "BARRED", { lastVerifiedAt: since })], barred],
    [
      "no time of a verdict that a failure hides",
      [held("a", "SOURCE_TIMEOUT", { lastVerifiedAt: since })],
      { id: "a", credentialType: "WWCC_NSW", statusDetail: "SOURCE_TIMEOUT" }
    ],
    [
      "the last valid day of an expired card",
      [held("a", "BARRED", { statusSince: before, expiryDate: "2026-01-30" })],
      { id: "a", credentialType: "WWCC_NSW", statusDetail: "EXPIRED", expiryDate: "2026-01-30" }
    ]
  ] as const)("says of a missing type: %s", (_, credentials, failing) => {
    const { failingCredentials } = judge(nsw, { id: ann, fields: {} }, { credentials, exemptions: [] }, today)
    assert.deepStrictEqual(failingCredentials, failing === undefined ? [] : [failing])
  })

  it.each([
    ["WWC1234567V", "VOLUNTEER", "VALID", "PASS"],
    ["WWC1234567E", "EMPLOYEE", "VALID", "PASS"],
    ["WWC1234567V", "EMPLOYEE", "BARRED", "FAIL"]
  ] as const)("R5: %s of a %s that is %s needs no review: %s", (identifier, workerType, said, result) => {
    const judged = judge(nsw, { id: ann, fields: { employment: { workerType } } }, card(identifier, said), today)
    assert.deepStrictEqual([judged.result, judged.reviews], [result, []])
  })

  it.each([
    ["MAY_NOT_ENGAGE", "FAIL"],
    ["REVIEW_REQUIRED", "FAIL"],
    ["MAY_ENGAGE", "PASS"],
    ["IN_PROGRESS", "PASS"],
    ["ERROR", "PASS"]
  ] as const)("R15: a worker whose ban says %s has the result %s, also with valid cards", (eligibility, result) => {
    const ban = { ...stored<BanFields>({ ...banFields, eligibility }), id: "urn:wcs:ban:ndis:1" }
    const judged = judge(nsw, { id: ann, fields: {} }, card("WWC1234567E"), today)
    assert.strictEqual(judged.result, "PASS")
    const withBan = withBans(judged, bansThatCount([ban], "2026-01-31"))
    assert.strictEqual(withBan.result, result)
    assert.deepStrictEqual(withBan.bans, result === "PASS" ? [] : [{ id: ban.id, eligibility }])
  })

  const decidedUntil = (endsOn: string, outcome: "MAY_ENGAGE" | "MAY_NOT_ENGAGE") => ({
    ...{ outcome, reason: "another birth date", endsOn },
    ...{ decidedAt: "2026-01-01T00:00:00.000Z", account: "urn:wcs:account:acc_1" }
  })
  it.each([
    [
      "possible match until today, of another person",
      "REVIEW_REQUIRED",
      decidedUntil("2026-01-31", "MAY_ENGAGE"),
      null
    ],
    [
      "possible match, of the person",
      "REVIEW_REQUIRED",
      decidedUntil("2026-01-31", "MAY_NOT_ENGAGE"),
      "MAY_NOT_ENGAGE"
    ],
    ["possible match, until yesterday", "REVIEW_REQUIRED", decidedUntil("2026-01-30", "MAY_ENGAGE"), "REVIEW_REQUIRED"],
    ["ban, which nobody can lift", "MAY_NOT_ENGAGE", decidedUntil("2026-01-31", "MAY_ENGAGE"), "MAY_NOT_ENGAGE"]
  ] as const)("R15: a decision about a %s", (_, eligibility, decision, counts) => {
    const ban = { ...stored<BanFields>({ ...banFields, eligibility, decision }), id: "urn:wcs:ban:ndis:1" }
    const expected = counts === null ? [] : [{ id: ban.id, eligibility: counts }]
    assert.deepStrictEqual(bansThatCount([ban], "2026-01-31"), expected)
  })

  const decode = Schema.decodeUnknownResult(EvaluationRequest)
  const reference = { id: ann }
  it.each<readonly [string, unknown, boolean]>([
    ["no workers", {}, true],
    ["an id", { workers: [reference] }, true],
    ["an external id", { workers: [{ externalId: "e" }] }, true],
    [`${namedLimit} workers`, { workers: Array(namedLimit).fill(reference) }, true],
    [`${namedLimit + 1} workers`, { workers: Array(namedLimit + 1).fill(reference) }, false],
    ["an empty list", { workers: [] }, false],
    ["an empty reference", { workers: [{}] }, false],
    ["both ids", { workers: [{ id: ann, externalId: "e" }] }, false],
    ["an applicant", { workers: [{ id: app }] }, false],
    ["null", { workers: null }, false],
    ["an id without an object", { workers: [ann] }, false]
  ])("accepts or refuses %s", (_, request, isTaken) => {
    assert.strictEqual(Result.isSuccess(decode(request)), isTaken)
  })
})
