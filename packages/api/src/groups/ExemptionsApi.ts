import { Exemption, ExemptionFields } from "@wcs/domain/holding/Exemption"
import { ApplicantId, ExemptionId, WorkerId } from "@wcs/domain/shared/Id"
import { Schema } from "effect"
import { crudGroup } from "../CrudGroup.ts"
import { documentOf, linkTo } from "../Envelope.ts"
import { parameter } from "../ListParameters.ts"
import { wireErrors } from "../WireError.ts"

const { fields } = ExemptionFields

/** The response form of an exemption. */
export const ExemptionDocument = documentOf("exemption", ExemptionId, fields).annotate({ identifier: "Exemption" })

/** The body of create and replace, with exactly one of `worker` and `applicant`. */
const ExemptionWrite = Schema.Struct({
  ...fields,
  worker: Schema.optionalKey(linkTo(WorkerId)).annotate({
    description: "The exempt worker. Give either a worker or an applicant."
  }),
  applicant: Schema.optionalKey(linkTo(ApplicantId)).annotate({
    description: "The exempt applicant. Give either a worker or an applicant."
  })
}).annotate({ identifier: "ExemptionWrite" })

/** `/exemptions` (§4.2). */
export class ExemptionsApi extends crudGroup("exemptions", Exemption, {
  document: ExemptionDocument,
  create: ExemptionWrite,
  replace: ExemptionWrite,
  createErrors: [wireErrors.UNPROCESSABLE],
  updateErrors: [wireErrors.UNPROCESSABLE],
  filters: {
    ownerExternalId: parameter("Exemptions of the worker or applicant with this `source.externalId`."),
    ownerType: parameter("The kind of `ownerId`. Use together with `ownerId`."),
    ownerId: parameter("Exemptions of the owner with this id. Use together with `ownerType`."),
    exemptionType: parameter("Exact match on the exemption type."),
    jurisdiction: parameter("Exact match on the jurisdiction."),
    expiringFrom: parameter("Expires on or after this date."),
    expiringBefore: parameter("Expires before this date.")
  }
}) {}
