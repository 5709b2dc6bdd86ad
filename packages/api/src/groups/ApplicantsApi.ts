import { ApplicantFields } from "@wcs/domain/people/Applicant"
import { ApplicantId } from "@wcs/domain/shared/Id"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { documentOf, Location, Many, One, ResourceId } from "../Envelope.ts"
import { GuardOf, guard } from "../Guard.ts"
import { listParameters, parameter, readParameters } from "../ListParameters.ts"
import { mergePatch } from "../MergePatch.ts"
import { AnswerRefusals, Authenticate, Authorize, Begin, LimitRate, ResolveTenant } from "../Middleware.ts"
import { everyBody, everyCall, wireErrors } from "../WireError.ts"

/** The response form of an applicant. */
export const ApplicantDocument = documentOf("applicant", ApplicantId, ApplicantFields.fields).annotate({
  identifier: "Applicant"
})

/** The body of create and replace. `status` defaults to NEW. */
const ApplicantWrite = Schema.Struct({
  ...ApplicantFields.fields,
  status: Schema.optionalKey(ApplicantFields.fields.status)
}).annotate({ identifier: "ApplicantWrite" })

/** `/applicants` (§4.2). */
export class ApplicantsApi extends HttpApiGroup.make("applicants")
  .add(
    HttpApiEndpoint.get("list", "/applicants", {
      query: {
        ...listParameters,
        externalId: parameter("Exact match on source.externalId."),
        sourceSystem: parameter("Exact match on source.sourceSystem."),
        emailAddress: parameter("Match on the email address, ignoring case."),
        status: parameter("NEW, SCREENING, COMPLETED, HIRED or WITHDRAWN."),
        query: parameter("Prefix of the display name, last name or email address, ignoring case.")
      },
      success: Many(ApplicantDocument),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("applicant", "READ")),
    HttpApiEndpoint.post("create", "/applicants", {
      payload: ApplicantWrite,
      success: HttpApiSchema.WithHeaders(One(ApplicantDocument).pipe(HttpApiSchema.status(201)), Location),
      error: [...everyBody, ...everyCall]
    }).annotate(GuardOf, guard("applicant", "CREATE")),
    HttpApiEndpoint.get("read", "/applicants/:id", {
      params: ResourceId,
      query: readParameters,
      success: One(ApplicantDocument),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("applicant", "READ")),
    HttpApiEndpoint.put("replace", "/applicants/:id", {
      params: ResourceId,
      payload: ApplicantWrite,
      success: One(ApplicantDocument),
      error: [...everyBody, ...everyCall]
    }).annotate(GuardOf, guard("applicant", "UPDATE")),
    HttpApiEndpoint.patch("patch", "/applicants/:id", {
      params: ResourceId,
      payload: mergePatch,
      success: One(ApplicantDocument),
      error: [...everyBody, ...everyCall]
    }).annotate(GuardOf, guard("applicant", "UPDATE")),
    HttpApiEndpoint.delete("remove", "/applicants/:id", {
      params: ResourceId,
      success: HttpApiSchema.NoContent,
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("applicant", "DELETE"))
  )
  .middleware(AnswerRefusals)
  .middleware(Authorize)
  .middleware(LimitRate)
  .middleware(Authenticate)
  .middleware(ResolveTenant)
  .middleware(Begin) {}
