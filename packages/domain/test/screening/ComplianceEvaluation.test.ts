import { assert, describe, it } from "@effect/vitest"
import type { CredentialFields } from "@wcs/domain/holding/Credential"
import type { ExemptionFields } from "@wcs/domain/holding/Exemption"
import type { Holdings } from "@wcs/domain/holding/Holdings"
import { eligibilities } from "@wcs/domain/holding/Verification"
import type { Stored } from "@wcs/domain/resource/Resource"
import type { ComplianceCheckFields } from "@wcs/domain/screening/ComplianceCheck"
import { EvaluationRequest, judge, namedLimit } from "@wcs/domain/screening/ComplianceEvaluation"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { Result, Schema } from "effect"
import * as fc from "fast-check"

type Requirement = ComplianceCheckFields["requirement"]
type Attributes = CredentialFields["attributes"]

const today = "2026-01-31"
const [ann, bob, app] = ["wkr_00000000000000aa", "wkr_00000000000000bb", "app_00000000000000aa"]
const types = ["WWCC_NSW", "FIRST_AID", "AHPRA_REGISTRATION"] as const

const stored = <Fields extends JsonObject>(fields: Fields): Stored<Fields> => ({
  id: "cred_0000000000000000",
  version: 1,
  createdAt: 0,
  updatedAt: 0,
  deletedAt: null,
  fields
})

const credential = (credentialType: string, attributes: Partial<Attributes> = {}): Stored<CredentialFields> =>
  stored({
    attributes: { credentialType, eligibility: "MAY_ENGAGE", owners: { worker: ann, applicant: null }, ...attributes }
  })

const exemption = (exempted: ReadonlyArray<string>, fields: Partial<ExemptionFields> = {}): Stored<ExemptionFields> =>
  stored({ exemptionType: "MEDICAL", worker: { id: ann }, exemptedCredentialTypes: exempted, ...fields })

const requirement = (more: Partial<Requirement> = {}): Requirement => ({
  credentialTypes: ["WWCC_NSW", "FIRST_AID"],
  mode: "ALL",
  exemptionsCount: true,
  ...more
})

const holding = (held: Partial<Holdings>): Holdings => ({ credentials: [], exemptions: [], ...held })

const judged = (asked: Requirement, held: Partial<Holdings>): string => {
  const { missingCredentialTypes, result } = judge(asked, ann, holding(held), today)
  return [result, ...missingCredentialTypes].join(" ")
}

/** A credential without a verdict. */
const unjudged = (credentialType: string, expiryDate?: string): Stored<CredentialFields> =>
  stored({
    attributes: {
      credentialType,
      ...(expiryDate === undefined ? {} : { expiryDate }),
      owners: { worker: ann, applicant: null }
    }
  })

const [nsw, aid] = [credential("WWCC_NSW"), credential("FIRST_AID")]

const eligibility = fc.option(fc.constantFrom(...eligibilities), { nil: undefined })
const day = fc.constantFrom("2025-12-31", "2026-01-30", today, "2026-02-01", "2027-01-01")
const perhapsDay = fc.option(day, { nil: undefined })
const owner = fc.constantFrom(ann, bob, null)

const dated = (dates: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(dates).filter(([, date]) => date !== undefined))

const anyCredential = fc
  .record({ type: fc.constantFrom(...types), eligibility, expiryDate: perhapsDay, worker: owner })
  .map(({ eligibility, expiryDate, type, worker }) =>
    stored<CredentialFields>({
      attributes: {
        credentialType: type,
        ...(eligibility === undefined ? {} : { eligibility }),
        ...dated({ expiryDate }),
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
      ...dated({ issueDate, expiryDate })
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
  const all = requirement()
  const any = requirement({ mode: "ANY" })
  const rows: ReadonlyArray<readonly [string, Requirement, Partial<Holdings>, string]> = [
    ["no credential", all, {}, "FAIL WWCC_NSW FIRST_AID"],
    ["no credential", any, {}, "FAIL WWCC_NSW FIRST_AID"],
    ["one of two types", all, { credentials: [nsw] }, "FAIL FIRST_AID"],
    ["one of two types", any, { credentials: [aid] }, "PASS"],
    ["both types", all, { credentials: [aid, nsw] }, "PASS"],
    ["one type twice", all, { credentials: [nsw, nsw] }, "FAIL FIRST_AID"],
    ["another type", any, { credentials: [credential("AHPRA_REGISTRATION")] }, "FAIL WWCC_NSW FIRST_AID"],
    [
      "a good and a bad credential of one type",
      any,
      { credentials: [credential("WWCC_NSW", { eligibility: "ERROR" }), nsw] },
      "PASS"
    ],
    ["a type without a register, without a verdict", all, { credentials: [nsw, unjudged("FIRST_AID")] }, "PASS"],
    [
      "an expired type without a register",
      all,
      { credentials: [nsw, unjudged("FIRST_AID", "2026-01-30")] },
      "FAIL FIRST_AID"
    ],
    ["a verifiable type without a verdict", all, { credentials: [aid, unjudged("WWCC_NSW")] }, "FAIL WWCC_NSW"],
    ["an exemption from the other", all, { credentials: [nsw], exemptions: [exemption(["FIRST_AID"])] }, "PASS"],
    ["an exemption from both", all, { exemptions: [exemption(["FIRST_AID", "WWCC_NSW"])] }, "PASS"],
    ["an exemption from nothing", all, { credentials: [nsw], exemptions: [exemption([])] }, "FAIL FIRST_AID"],
    [
      "an exemption that does not count",
      requirement({ exemptionsCount: false }),
      { credentials: [nsw], exemptions: [exemption(["FIRST_AID"])] },
      "FAIL FIRST_AID"
    ],
    ["a type required twice", requirement({ credentialTypes: ["WWCC_NSW", "WWCC_NSW"] }), {}, "FAIL WWCC_NSW"]
  ]
  it.each(rows)("judges a worker with %s by %j", (_, asked, held, expected) => {
    assert.strictEqual(judged(asked, held), expected)
  })

  const ofOne = requirement({ credentialTypes: ["WWCC_NSW"] })

  it.each([
    ["yesterday", "2026-01-30", "FAIL WWCC_NSW"],
    ["today", today, "PASS"],
    ["tomorrow", "2026-02-01", "PASS"]
  ])("a credential that expires %s", (_, expiryDate, expected) => {
    assert.strictEqual(judged(ofOne, { credentials: [credential("WWCC_NSW", { expiryDate })] }), expected)
  })

  it.each([undefined, ...eligibilities])(
    "a credential of %s satisfies the check if its verdict is MAY_ENGAGE",
    (read) => {
      const { eligibility: _, ...attributes } = nsw.fields.attributes
      const credentials = [
        stored<CredentialFields>({ attributes: read === undefined ? attributes : { ...attributes, eligibility: read } })
      ]
      assert.strictEqual(judged(ofOne, { credentials }), read === "MAY_ENGAGE" ? "PASS" : "FAIL WWCC_NSW")
    }
  )

  it.each([
    [{ issueDate: "2026-02-01" }, "FAIL WWCC_NSW"],
    [{ issueDate: today }, "PASS"],
    [{ expiryDate: today }, "PASS"],
    [{ expiryDate: "2026-01-30" }, "FAIL WWCC_NSW"],
    [{ issueDate: "2026-01-30", expiryDate: "2026-02-01" }, "PASS"],
    [{}, "PASS"]
  ])("an exemption of %j", (dates, expected) => {
    assert.strictEqual(judged(ofOne, { exemptions: [exemption(["WWCC_NSW"], dates)] }), expected)
  })

  it("ignores holdings of others, also exemptions of applicants", () => {
    const owners = { worker: bob, applicant: null }
    const { worker: _, ...others } = exemption(["WWCC_NSW"]).fields
    const held = {
      credentials: [
        credential("WWCC_NSW", { owners }),
        credential("WWCC_NSW", { owners: { worker: null, applicant: app } })
      ],
      exemptions: [exemption(["WWCC_NSW"], { worker: { id: bob } }), stored({ ...others, applicant: { id: app } })]
    }
    assert.strictEqual(judged(ofOne, held), "FAIL WWCC_NSW")
  })

  it("names the missing types in the order of the check, and none on PASS", () => {
    fc.assert(
      fc.property(anyRequirement, anyHoldings, (asked, held) => {
        const { missingCredentialTypes, result } = judge(asked, ann, held, today)
        const order = [...new Set<string>(asked.credentialTypes)]
        assert.deepStrictEqual(
          missingCredentialTypes,
          order.filter((type) => missingCredentialTypes.includes(type))
        )
        assert.strictEqual(result === "PASS", missingCredentialTypes.length === 0)
        if (asked.mode === "ANY" && result === "FAIL") assert.deepStrictEqual(missingCredentialTypes, order)
      })
    )
  })

  it("ALL needs every type, and ANY needs one", () => {
    fc.assert(
      fc.property(anyRequirement, anyHoldings, (asked, held) => {
        const each = asked.credentialTypes.map(
          (type) => judge({ ...asked, credentialTypes: [type] }, ann, held, today).result === "PASS"
        )
        const by = (mode: Requirement["mode"]) => judge({ ...asked, mode }, ann, held, today).result === "PASS"
        assert.strictEqual(by("ALL"), each.every(Boolean))
        assert.strictEqual(by("ANY"), each.some(Boolean))
      })
    )
  })

  it("more holdings never turn PASS into FAIL, and their order does not matter", () => {
    fc.assert(
      fc.property(anyRequirement, anyHoldings, anyHoldings, (asked, held, more) => {
        const both = {
          credentials: [...more.credentials, ...held.credentials],
          exemptions: [...more.exemptions, ...held.exemptions]
        }
        const reversed = { credentials: both.credentials.toReversed(), exemptions: both.exemptions.toReversed() }
        const after = judge(asked, ann, both, today)
        if (judge(asked, ann, held, today).result === "PASS") assert.strictEqual(after.result, "PASS")
        assert.deepStrictEqual(judge(asked, ann, reversed, today), after)
      })
    )
  })

  it("ignores holdings of other persons, and those without MAY_ENGAGE today", () => {
    fc.assert(
      fc.property(anyRequirement, anyHoldings, (asked, held) => {
        const counted = {
          credentials: held.credentials.filter(({ fields: { attributes } }) => {
            const { credentialType, eligibility, expiryDate, owners } = attributes
            const engages =
              eligibility === "MAY_ENGAGE" || (eligibility === undefined && credentialType === "FIRST_AID")
            return owners.worker === ann && engages && (expiryDate ?? today) >= today
          }),
          exemptions: held.exemptions.filter(({ fields: { expiryDate, issueDate, worker } }) => {
            const isNow = (issueDate ?? today) <= today && (expiryDate ?? today) >= today
            return asked.exemptionsCount && worker?.id === ann && isNow
          })
        }
        const has = (type: string) =>
          counted.credentials.some(({ fields }) => fields.attributes.credentialType === type) ||
          counted.exemptions.some(({ fields }) => fields.exemptedCredentialTypes?.includes(type))
        const judged = judge(asked, ann, held, today)
        assert.deepStrictEqual(judge(asked, ann, counted, today), judged)
        if (asked.mode === "ALL") assert.strictEqual(judged.result === "PASS", asked.credentialTypes.every(has))
      })
    )
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
