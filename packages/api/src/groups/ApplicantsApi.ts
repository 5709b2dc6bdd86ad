import { Reach } from "@wcs/domain/people/Address"
import { Applicant, ApplicantFields } from "@wcs/domain/people/Applicant"
import { ApplicantId } from "@wcs/domain/shared/Id"
import { Schema } from "effect"
import { HttpApiGroup } from "effect/http-api"
import { crudEndpoints } from "../CrudGroup.ts"
import { documentOf, One } from "../Envelope.ts"
import { parameter, search, unit, unreachable } from "../ListParameters.ts"
import { applicantTable } from "../ListTables.ts"
import { guarded } from "../Middleware.ts"
import { restoreEndpoint } from "../Restoring.ts"
import { wireErrors } from "../WireError.ts"

/** The response form of an applicant. */
export const ApplicantDocument = documentOf("applicant", ApplicantId, {
  ...ApplicantFields.fields,
  ...Reach.fields
}).annotate({ identifier: "Applicant" })

/** The body of create and replace. `status` defaults to NEW. */
const ApplicantWrite = Schema.Struct({
  ...ApplicantFields.fields,
  status: Schema.optionalKey(ApplicantFields.fields.status)
}).annotate({ identifier: "ApplicantWrite" })

const { create, list, patch, read, remove, replace } = crudEndpoints(Applicant, {
  document: ApplicantDocument,
  table: applicantTable,
  create: ApplicantWrite,
  replace: ApplicantWrite,
  createErrors: [wireErrors.UNPROCESSABLE],
  updateErrors: [wireErrors.UNPROCESSABLE],
  filters: {
    externalId: parameter("Exact match on `source.externalId`."),
    sourceSystem: parameter("Exact match on `source.sourceSystem`."),
    emailAddress: parameter("Match on the email address, ignoring case."),
    status: parameter("Exact match on the status."),
    unit,
    unreachable,
    query: search
  }
})

/** `/applicants` (§4.2). */
export class ApplicantsApi extends guarded(
  HttpApiGroup.make("applicants").add(
    list,
    create,
    read,
    replace,
    patch,
    remove,
    restoreEndpoint(Applicant, One(ApplicantDocument))
  )
) {}
