import { assert, describe, it } from "@effect/vitest"
import type { CredentialFields } from "@wcs/domain/holding/Credential"
import type { ExemptionFields } from "@wcs/domain/holding/Exemption"
import type { Holdings } from "@wcs/domain/holding/Holdings"
import { eligibilities } from "@wcs/domain/holding/Verification"
import type { Stored } from "@wcs/domain/resource/Resource"
import type { Requirements } from "@wcs/domain/screening/ScreeningPackage"
import { progressOf } from "@wcs/domain/screening/ScreeningProgress"
import * as fc from "fast-check"
import { given, stored } from "./StoredFields.ts"

const today = "2026-01-31"
const [yesterday, tomorrow] = ["2026-01-30", "2026-02-01"]
const app = "app_00000000000000aa"

type Attributes = CredentialFields["attributes"]

const credential = (credentialType: string, attributes: Partial<Attributes> = {}): Stored<CredentialFields> =>
  stored({ attributes: { credentialType, owners: { worker: null, applicant: app }, ...attributes } })

const exemption = (fields: Partial<ExemptionFields>): Stored<ExemptionFields> =>
  stored({ exemptionType: "MEDICAL", applicant: { id: app }, ...fields })

const types = ["WWCC_NSW", "FIRST_AID", "AHPRA_REGISTRATION"] as const
const kinds = ["MEDICAL", "Medical"] as const
const date = fc.constantFrom(undefined, yesterday, today, tomorrow)

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

describe("requirements met", () => {
  it("are ALL if each is met, SOME if at least one is met, else NONE", () => {
    fc.assert(
      fc.property(anyRequirements, anyHoldings, (requirements, held) => {
        const isMet = isMetEach(requirements, held)
        const expected = !isMet.some(Boolean) ? "NONE" : isMet.every(Boolean) ? "ALL" : "SOME"
        assert.strictEqual(progressOf(requirements, held, today), expected)
      }),
      { numRuns: 1_000 }
    )
  })
})
