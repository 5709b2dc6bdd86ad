import { ExemptionFields } from "@wcs/domain/credential/Exemption"
import { ApplicantId, ExemptionId, WorkerId } from "@wcs/domain/shared/Id"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { documentOf, Location, linkTo, Many, One, ResourceId } from "../Envelope.ts"
import { GuardOf, guard } from "../Guard.ts"
import { listParameters, parameter, readParameters } from "../ListParameters.ts"
import { mergePatch } from "../MergePatch.ts"
import { AnswerRefusals, Authenticate, Authorize, Begin, LimitRate, ResolveTenant } from "../Middleware.ts"
import { everyBody, everyCall, wireErrors } from "../WireError.ts"

const { fields } = ExemptionFields

/** The response form of an exemption. */
export const ExemptionDocument = documentOf("exemption", ExemptionId, fields).annotate({ identifier: "Exemption" })

/** The body of create and replace, with exactly one of `worker` and `applicant`. */
const ExemptionWrite = Schema.Struct({
  ...fields,
  worker: Schema.optionalKey(linkTo(WorkerId)),
  applicant: Schema.optionalKey(linkTo(ApplicantId))
}).annotate({ identifier: "ExemptionWrite" })

/** `/exemptions` (§4.2). */
export class ExemptionsApi extends HttpApiGroup.make("exemptions")
  .add(
    HttpApiEndpoint.get("list", "/exemptions", {
      query: {
        ...listParameters,
        ownerExternalId: parameter("Exemptions of the worker or applicant with this source.externalId."),
        ownerType: parameter("worker or applicant. Use together with ownerId."),
        ownerId: parameter("Exemptions of the owner with this id. Use together with ownerType."),
        exemptionType: parameter("Exact match on the exemption type."),
        jurisdiction: parameter("Exact match on the jurisdiction."),
        expiringFrom: parameter("Expires on or after this date, YYYY-MM-DD."),
        expiringBefore: parameter("Expires before this date, YYYY-MM-DD.")
      },
      success: Many(ExemptionDocument),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("exemption", "READ")),
    HttpApiEndpoint.post("create", "/exemptions", {
      payload: ExemptionWrite,
      success: HttpApiSchema.WithHeaders(One(ExemptionDocument).pipe(HttpApiSchema.status(201)), Location),
      error: [...everyBody, wireErrors.UNPROCESSABLE, ...everyCall]
    }).annotate(GuardOf, guard("exemption", "CREATE")),
    HttpApiEndpoint.get("read", "/exemptions/:id", {
      params: ResourceId,
      query: readParameters,
      success: One(ExemptionDocument),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("exemption", "READ")),
    HttpApiEndpoint.put("replace", "/exemptions/:id", {
      params: ResourceId,
      payload: ExemptionWrite,
      success: One(ExemptionDocument),
      error: [...everyBody, wireErrors.UNPROCESSABLE, ...everyCall]
    }).annotate(GuardOf, guard("exemption", "UPDATE")),
    HttpApiEndpoint.patch("patch", "/exemptions/:id", {
      params: ResourceId,
      payload: mergePatch,
      success: One(ExemptionDocument),
      error: [...everyBody, wireErrors.UNPROCESSABLE, ...everyCall]
    }).annotate(GuardOf, guard("exemption", "UPDATE")),
    HttpApiEndpoint.delete("remove", "/exemptions/:id", {
      params: ResourceId,
      success: HttpApiSchema.NoContent,
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("exemption", "DELETE"))
  )
  .middleware(AnswerRefusals)
  .middleware(Authorize)
  .middleware(LimitRate)
  .middleware(Authenticate)
  .middleware(ResolveTenant)
  .middleware(Begin) {}
