import { Schema } from "effect"
import { type OwnerReference, type OwnerType, ownerTypes } from "../ownership/Ownership.ts"
import { ownerColumns, ownerFilters, ownerResources } from "../people/Owner.ts"
import type { Resource } from "../resource/Resource.ts"
import { isLapsed } from "../shared/CalendarDay.ts"
import { LinkedApplicantId, LinkedWorkerId } from "../shared/Id.ts"
import { CalendarDate } from "../shared/Instant.ts"
import { line } from "../shared/Text.ts"
import * as CredentialType from "./CredentialType.ts"

/** The exempt person. Exactly one is present. */
const persons = {
  worker: Schema.optionalKey(Schema.Struct({ id: LinkedWorkerId })).annotateKey({
    description: "The exempt worker. Absent if an applicant is exempt."
  }),
  applicant: Schema.optionalKey(Schema.Struct({ id: LinkedApplicantId })).annotateKey({
    description: "The exempt applicant. Absent if a worker is exempt."
  })
} satisfies Record<OwnerType, unknown>

export const ExemptionFields = Schema.Struct({
  exemptionType: line(100).annotateKey({
    description: "Kind of exemption, in the caller's words. `requirements.exemptionTypes` must name it exactly."
  }),
  ...persons,
  identifier: Schema.optionalKey(line(100)).annotateKey({
    description: "Number of the exemption's document. Not sent to a register."
  }),
  jurisdiction: Schema.optionalKey(CredentialType.JurisdictionName).annotateKey({
    description: "State or territory of the exemption, or NATIONAL. Lists filter by it. Compliance checks ignore it."
  }),
  reason: Schema.optionalKey(line(1000)).annotateKey({
    description: "Why the person is exempt, in the caller's words."
  }),
  grantedBy: Schema.optionalKey(line(200)).annotateKey({
    description: "Person or body that granted the exemption, in the caller's words."
  }),
  issueDate: Schema.optionalKey(CalendarDate).annotateKey({
    description: "First valid day. If absent, the exemption has no start."
  }),
  expiryDate: Schema.optionalKey(CalendarDate).annotateKey({
    description: "Last valid day. If absent, the exemption has no end."
  }),
  exemptedCredentialTypes: Schema.optionalKey(CredentialType.Codes).annotateKey({
    description: "Codes of the credential types that the person need not hold. If absent, none."
  })
}).check(
  Schema.makeFilter((fields: { readonly [Type in OwnerType]?: unknown }) =>
    ownerTypes.filter((type) => fields[type] !== undefined).length === 1
      ? undefined
      : { path: [ownerTypes[0]], issue: `or ${ownerTypes.slice(1).join(" or ")} must be given, but not both` }
  )
)
export type ExemptionFields = typeof ExemptionFields.Type

/** Exempts a person from kinds of credential (DECISIONS.md#fields). */
export const Exemption = {
  type: "exemption",
  naming: { by: "minting", kind: "exemption" },
  collection: "exemptions",
  fields: ExemptionFields,
  computed: [],
  fixed: [],
  defaults: [],
  personal: [{ path: ["identifier"] }, { path: ["reason"] }, { path: ["grantedBy"] }],
  links: ownerTypes.map((type) => ({ path: [type], resource: ownerResources[type], lookup: "externalId" })),
  verbatim: {},
  columns: {
    ...Object.fromEntries(ownerTypes.map((type) => [ownerColumns[type], { path: [type, "id"] }])),
    exemption_type: { path: ["exemptionType"] },
    jurisdiction: { path: ["jurisdiction"] },
    issue_date: { path: ["issueDate"] },
    expiry_date: { path: ["expiryDate"] }
  },
  filters: {
    ...ownerFilters,
    exemptionType: { by: "equal", column: "exemption_type" },
    jurisdiction: { by: "equal", column: "jurisdiction", among: CredentialType.jurisdictions },
    expiringFrom: { by: "from", column: "expiry_date" },
    expiringBefore: { by: "before", column: "expiry_date" }
  },
  sorts: { issueDate: "issue_date", expiryDate: "expiry_date" }
} as const satisfies Resource<ExemptionFields>

/** Returns the exempt person. */
export const personsOf = (fields: ExemptionFields): ReadonlyArray<OwnerReference> =>
  ownerTypes.flatMap((type) => {
    const person = fields[type]
    return person === undefined ? [] : [{ type, id: person.id }]
  })

/** Returns whether the exemption applies on a day, from `issueDate` to `expiryDate` inclusive. */
export const isInForceOn = ({ expiryDate, issueDate }: ExemptionFields, today: string): boolean =>
  (issueDate === undefined || issueDate <= today) && !isLapsed(expiryDate, today)
