import { Context, Effect, Layer, Schema } from "effect"
import { Applicant } from "./Applicant.ts"
import type { Collection } from "./Collection.ts"
import * as CredentialType from "./CredentialType.ts"
import { ApplicantId, WorkerId } from "./Id.ts"
import { CalendarDate } from "./Instant.ts"
import type { LinkNotFound } from "./Links.ts"
import type { Resource } from "./Resource.ts"
import { linking, Resources } from "./Resources.ts"
import { line } from "./Text.ts"
import { isLapsed } from "./Verification.ts"
import { Worker } from "./Worker.ts"

export const ExemptionFields = Schema.Struct({
  exemptionType: line(100),
  worker: Schema.optionalKey(Schema.Struct({ id: WorkerId })),
  applicant: Schema.optionalKey(Schema.Struct({ id: ApplicantId })),
  identifier: Schema.optionalKey(line(100)),
  jurisdiction: Schema.optionalKey(CredentialType.JurisdictionName),
  reason: Schema.optionalKey(line(1000)),
  grantedBy: Schema.optionalKey(line(200)),
  issueDate: Schema.optionalKey(CalendarDate),
  expiryDate: Schema.optionalKey(CalendarDate),
  exemptedCredentialTypes: Schema.optionalKey(CredentialType.Codes)
}).check(
  Schema.makeFilter(({ applicant, worker }: { readonly applicant?: unknown; readonly worker?: unknown }) =>
    (worker === undefined) !== (applicant === undefined)
      ? undefined
      : { path: ["worker"], issue: "must be given, or applicant, and not both" }
  )
)
export type ExemptionFields = typeof ExemptionFields.Type

/** What spares a person a kind of credential (decisions, section 2). */
export const Exemption: Resource<ExemptionFields> = {
  type: "exemption",
  naming: { by: "minting", kind: "exemption" },
  collection: "exemptions",
  fields: ExemptionFields,
  computed: [],
  fixed: [],
  defaults: [],
  links: [
    { path: ["worker"], resource: Worker, lookup: "externalId" },
    { path: ["applicant"], resource: Applicant, lookup: "externalId" }
  ],
  columns: {
    worker_id: { path: ["worker", "id"] },
    applicant_id: { path: ["applicant", "id"] },
    exemption_type: { path: ["exemptionType"] },
    jurisdiction: { path: ["jurisdiction"] },
    issue_date: { path: ["issueDate"] },
    expiry_date: { path: ["expiryDate"] }
  },
  filters: {
    ownerExternalId: {
      by: "holder",
      holders: [
        { column: "worker_id", resource: "worker", lookup: "external_id" },
        { column: "applicant_id", resource: "applicant", lookup: "external_id" }
      ]
    },
    ownerId: { by: "slot", type: "ownerType", columns: { worker: "worker_id", applicant: "applicant_id" } },
    exemptionType: { by: "equal", column: "exemption_type" },
    jurisdiction: { by: "equal", column: "jurisdiction", among: CredentialType.jurisdictions },
    expiringBefore: { by: "before", column: "expiry_date" }
  },
  sorts: { issueDate: "issue_date", expiryDate: "expiry_date" }
}

/** Whether it spares anybody anything on a day: from the day of issue to that of expiry, both of them too. */
export const isInForceOn = ({ expiryDate, issueDate }: ExemptionFields, today: string): boolean =>
  (issueDate === undefined || issueDate <= today) && !isLapsed(expiryDate, today)

/** Exemptions: as every group. */
export class Exemptions extends Context.Service<Exemptions, Collection<ExemptionFields, never, LinkNotFound>>()(
  "@wcs/domain/Exemptions"
) {}

export const make = Effect.map(Resources, (resources) =>
  Exemptions.of(resources.collection(Exemption, linking(Exemption)))
)

export const layer: Layer.Layer<Exemptions, never, Resources> = Layer.effect(Exemptions, make)
