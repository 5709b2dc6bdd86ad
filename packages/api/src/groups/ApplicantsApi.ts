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

/** An applicant as the wire shows it. */
export const ApplicantDocument = documentOf("applicant", ApplicantId, ApplicantFields.fields).annotate({
  identifier: "Applicant"
})

/** What is sent to create or replace one: `status` is NEW where it is left out. */
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
        externalId: parameter("Exactly this source.externalId."),
        sourceSystem: parameter("Exactly this source.sourceSystem."),
        emailAddress: parameter("This address, letter case apart."),
        status: parameter("NEW, SCREENING, COMPLETED, HIRED or WITHDRAWN."),
        query: parameter("Begins the display name, last name or address, letter case apart.")
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
