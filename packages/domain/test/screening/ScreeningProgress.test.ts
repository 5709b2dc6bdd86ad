import { assert, describe, it } from "@effect/vitest"
import type { CredentialFields } from "@wcs/domain/holding/Credential"
import type { ExemptionFields } from "@wcs/domain/holding/Exemption"
import type { Holdings } from "@wcs/domain/holding/Holdings"
import { eligibilities } from "@wcs/domain/holding/Verification"
import type { Stored } from "@wcs/domain/resource/Resource"
import type { Requirements } from "@wcs/domain/screening/ScreeningPackage"
import { type Progress, progressOf } from "@wcs/domain/screening/ScreeningProgress"
import type { JsonObject } from "@wcs/domain/shared/Json"
import * as fc from "fast-check"

const today = "2026-01-31"
const [yesterday, tomorrow] = ["2026-01-30", "2026-02-01"]
const app = "app_00000000000000aa"

const stored = <Fields extends JsonObject>(fields: Fields): Stored<Fields> => ({
  id: "cred_0000000000000000",
  version: 1,
  createdAt: 0,
  updatedAt: 0,
  deletedAt: null,
  fields
})

type Attributes = CredentialFields["attributes"]

const credential = (credentialType: string, attributes: Partial<Attributes> = {}): Stored<CredentialFields> =>
  stored({ attributes: { credentialType, owners: { worker: null, applicant: app }, ...attributes } })

const valid = (credentialType: string, expiryDate?: string) =>
  credential(credentialType, { eligibility: "MAY_ENGAGE", ...(expiryDate === undefined ? {} : { expiryDate }) })

const exemption = (fields: Partial<ExemptionFields>): Stored<ExemptionFields> =>
  stored({ exemptionType: "MEDICAL", applicant: { id: app }, ...fields })

const fromNsw = { exemptedCredentialTypes: ["WWCC_NSW"] }

const progress = (requirements: Requirements, held: Partial<Holdings>): Progress =>
  progressOf(requirements, { credentials: [], exemptions: [], ...held }, today)

const nsw: Requirements = { credentialTypes: ["WWCC_NSW"] }
const both: Requirements = { credentialTypes: ["WWCC_NSW", "AHPRA_REGISTRATION"] }
const medical: Requirements = { exemptionTypes: ["MEDICAL"] }
const everything: Requirements = { ...nsw, ...medical }

const rows: ReadonlyArray<readonly [string, Requirements, Partial<Holdings>, Progress]> = [
  ["there are no holdings", nsw, {}, "NONE"],
  ["a credential reads MAY_ENGAGE", nsw, { credentials: [valid("WWCC_NSW")] }, "ALL"],
  ["its expiry date is today", nsw, { credentials: [valid("WWCC_NSW", today)] }, "ALL"],
  ["its expiry date was yesterday", nsw, { credentials: [valid("WWCC_NSW", yesterday)] }, "NONE"],
  ["the credential is of another type", nsw, { credentials: [valid("WWCC_VIC")] }, "NONE"],
  ["the type has no register", { credentialTypes: ["FIRST_AID"] }, { credentials: [credential("FIRST_AID")] }, "ALL"],
  [
    "the type has no register and the credential has expired",
    { credentialTypes: ["FIRST_AID"] },
    { credentials: [credential("FIRST_AID", { expiryDate: yesterday })] },
    "NONE"
  ],
  ["a verifiable credential has no verdict", nsw, { credentials: [credential("WWCC_NSW")] }, "NONE"],
  ["one of two types is satisfied", both, { credentials: [valid("WWCC_NSW")] }, "SOME"],
  [
    "both types are satisfied",
    both,
    { credentials: [valid("AHPRA_REGISTRATION"), credential("WWCC_NSW"), valid("WWCC_NSW")] },
    "ALL"
  ],
  ["an exemption names the type", nsw, { exemptions: [exemption(fromNsw)] }, "ALL"],
  [
    "an exemption begins and ends today",
    nsw,
    { exemptions: [exemption({ ...fromNsw, issueDate: today, expiryDate: today })] },
    "ALL"
  ],
  ["an exemption begins tomorrow", nsw, { exemptions: [exemption({ ...fromNsw, issueDate: tomorrow })] }, "NONE"],
  ["an exemption ended yesterday", nsw, { exemptions: [exemption({ ...fromNsw, expiryDate: yesterday })] }, "NONE"],
  ["an exemption names no types", nsw, { exemptions: [exemption({})] }, "NONE"],
  ["an exemption of the required type is held", medical, { exemptions: [exemption({})] }, "ALL"],
  ["an exemption of another type is held", medical, { exemptions: [exemption({ exemptionType: "Medical" })] }, "NONE"],
  ["a required exemption has ended", medical, { exemptions: [exemption({ expiryDate: yesterday })] }, "NONE"],
  ["one exemption meets two requirements", everything, { exemptions: [exemption(fromNsw)] }, "ALL"],
  ["a required exemption does not replace the credential", everything, { exemptions: [exemption({})] }, "SOME"],
  ["only a ban check is left", { ...nsw, banChecks: ["ndis"] }, { credentials: [valid("WWCC_NSW")] }, "SOME"],
  ["only ban checks are required", { banChecks: ["ndis"] }, { credentials: [valid("WWCC_NSW")] }, "NONE"],
  ["nothing is required", {}, { credentials: [valid("WWCC_NSW")] }, "NONE"],
  ["the lists of requirements are empty", { credentialTypes: [], exemptionTypes: [], banChecks: [] }, {}, "NONE"]
]

const types = ["WWCC_NSW", "FIRST_AID", "AHPRA_REGISTRATION"] as const
const kinds = ["MEDICAL", "RELIGIOUS"] as const
const date = fc.constantFrom(undefined, yesterday, today, tomorrow)

/** Removes undefined values from an object. */
const given = <Values extends object>(values: Values) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

const anyCredential = fc
  .record({
    type: fc.constantFrom(...types),
    eligibility: fc.constantFrom(undefined, ...eligibilities),
    expiryDate: date
  })
  .map(({ type, ...attributes }) => credential(type, given(attributes)))

const anyExemption = fc
  .record({
    exemptionType: fc.constantFrom(...kinds),
    issueDate: date,
    expiryDate: date,
    exemptedCredentialTypes: fc.option(fc.subarray([...types]), { nil: undefined })
  })
  .map((fields) => exemption(given(fields)))

const anyHoldings: fc.Arbitrary<Holdings> = fc.record({
  credentials: fc.array(anyCredential, { maxLength: 6 }),
  exemptions: fc.array(anyExemption, { maxLength: 4 })
})

const anyRequirements: fc.Arbitrary<Requirements> = fc.record(
  {
    credentialTypes: fc.array(fc.constantFrom(...types), { maxLength: 4 }),
    exemptionTypes: fc.array(fc.constantFrom(...kinds), { maxLength: 3 }),
    banChecks: fc.array(fc.constant("ndis"), { maxLength: 1 })
  },
  { requiredKeys: [] }
)

/** Returns whether a date range includes today. */
const includesToday = (from: string | undefined, to: string | undefined) =>
  (from ?? today) <= today && (to ?? today) >= today

/** Judges each requirement without the rule of the domain. */
const isMetEach = (requirements: Requirements, { credentials, exemptions }: Holdings): ReadonlyArray<boolean> => {
  const current = exemptions
    .map(({ fields }) => fields)
    .filter((each) => includesToday(each.issueDate, each.expiryDate))
  const engages = ({ credentialType, eligibility, expiryDate }: Attributes) =>
    includesToday(undefined, expiryDate) &&
    (eligibility === "MAY_ENGAGE" || (eligibility === undefined && credentialType === "FIRST_AID"))
  return [
    ...(requirements.credentialTypes ?? []).map(
      (type) =>
        credentials.some(({ fields: { attributes } }) => attributes.credentialType === type && engages(attributes)) ||
        current.some((each) => each.exemptedCredentialTypes?.includes(type))
    ),
    ...(requirements.exemptionTypes ?? []).map((type) => current.some((each) => each.exemptionType === type)),
    ...(requirements.banChecks ?? []).map(() => false)
  ]
}

const rank: Readonly<Record<Progress, number>> = { NONE: 0, SOME: 1, ALL: 2 }

describe("requirements met", () => {
  it.each(rows)("when %s", (_, requirements, held, expected) => {
    assert.strictEqual(progress(requirements, held), expected)
  })

  it("are ALL if each is met, SOME if at least one is met, else NONE", () => {
    fc.assert(
      fc.property(anyRequirements, anyHoldings, (requirements, held) => {
        const isMet = isMetEach(requirements, held)
        const expected = !isMet.some(Boolean) ? "NONE" : isMet.every(Boolean) ? "ALL" : "SOME"
        assert.strictEqual(progressOf(requirements, held, today), expected)
      })
    )
  })

  it("never decrease with more holdings", () => {
    fc.assert(
      fc.property(anyRequirements, anyHoldings, anyHoldings, (requirements, held, more) => {
        const after = {
          credentials: [...held.credentials, ...more.credentials],
          exemptions: [...held.exemptions, ...more.exemptions]
        }
        assert.isAtLeast(rank[progressOf(requirements, after, today)], rank[progressOf(requirements, held, today)])
      })
    )
  })

  it("do not depend on the order or repetition of requirements and holdings", () => {
    fc.assert(
      fc.property(anyRequirements, anyHoldings, (requirements, held) => {
        const twice = <A>(list: ReadonlyArray<A> = []) => [...list.toReversed(), ...list]
        const other = {
          credentialTypes: twice(requirements.credentialTypes),
          exemptionTypes: twice(requirements.exemptionTypes),
          banChecks: twice(requirements.banChecks)
        }
        const shuffled = { credentials: twice(held.credentials), exemptions: twice(held.exemptions) }
        assert.strictEqual(progressOf(other, shuffled, today), progressOf(requirements, held, today))
      })
    )
  })
})
