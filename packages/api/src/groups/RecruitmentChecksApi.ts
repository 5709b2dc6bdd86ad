import { RecruitmentCheckFields } from "@wcs/domain/screening/RecruitmentChecks"
import { Requirements } from "@wcs/domain/screening/ScreeningPackages"
import { ApplicantId, RecruitmentCheckId } from "@wcs/domain/shared/Id"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { documentOf, Location, linkTo, Many, One, ResourceId } from "../Envelope.ts"
import { GuardOf, guard } from "../Guard.ts"
import { listParameters, parameter, readParameters } from "../ListParameters.ts"
import { mergePatch } from "../MergePatch.ts"
import { AnswerRefusals, Authenticate, Authorize, Begin, LimitRate, ResolveTenant } from "../Middleware.ts"
import { everyBody, everyCall, wireErrors } from "../WireError.ts"
import { actionErrors, askedOptionally, descriptions, invitationParameters } from "./Inviting.ts"

const { fields } = RecruitmentCheckFields

/** The response form of a recruitment check. */
export const RecruitmentCheckDocument = documentOf("credentialCheck", RecruitmentCheckId, {
  ...fields,
  requirements: Requirements.annotate({
    description: "The requirements of the screening package at the time of creation."
  })
}).annotate({ identifier: "RecruitmentCheck" })

/** The body of create and replace. Only the message and the expiry days can change. */
const RecruitmentCheckWrite = Schema.Struct({
  applicant: linkTo(ApplicantId),
  screeningPackageCode: fields.screeningPackageCode,
  ...askedOptionally
}).annotate({ identifier: "RecruitmentCheckWrite" })

/** `/recruitment-checks` (§4.2). */
export class RecruitmentChecksApi extends HttpApiGroup.make("recruitmentChecks")
  .add(
    HttpApiEndpoint.get("list", "/recruitment-checks", {
      query: {
        ...listParameters,
        ownerExternalId: parameter("Recruitment checks of the applicant with this source.externalId."),
        applicantId: parameter("Recruitment checks of the applicant with this id."),
        screeningPackageCode: parameter("Recruitment checks with this screening package."),
        ...invitationParameters
      },
      success: Many(RecruitmentCheckDocument),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("credentialCheck", "READ")),
    HttpApiEndpoint.post("create", "/recruitment-checks", {
      payload: RecruitmentCheckWrite,
      success: HttpApiSchema.WithHeaders(One(RecruitmentCheckDocument).pipe(HttpApiSchema.status(201)), Location),
      error: [...everyBody, wireErrors.UNPROCESSABLE, ...everyCall]
    }).annotate(GuardOf, guard("credentialCheck", "CREATE")),
    HttpApiEndpoint.get("read", "/recruitment-checks/:id", {
      params: ResourceId,
      query: readParameters,
      success: One(RecruitmentCheckDocument),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("credentialCheck", "READ")),
    HttpApiEndpoint.put("replace", "/recruitment-checks/:id", {
      params: ResourceId,
      payload: RecruitmentCheckWrite,
      success: One(RecruitmentCheckDocument),
      error: [...everyBody, wireErrors.UNPROCESSABLE, ...everyCall]
    }).annotate(GuardOf, guard("credentialCheck", "UPDATE")),
    HttpApiEndpoint.patch("patch", "/recruitment-checks/:id", {
      params: ResourceId,
      payload: mergePatch,
      success: One(RecruitmentCheckDocument),
      error: [...everyBody, wireErrors.UNPROCESSABLE, ...everyCall]
    }).annotate(GuardOf, guard("credentialCheck", "UPDATE")),
    HttpApiEndpoint.delete("remove", "/recruitment-checks/:id", {
      params: ResourceId,
      success: HttpApiSchema.NoContent,
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("credentialCheck", "DELETE")),
    HttpApiEndpoint.post("resend", "/recruitment-checks/:id/resend", {
      params: ResourceId,
      success: One(RecruitmentCheckDocument),
      error: actionErrors
    })
      .annotate(OpenApi.Summary, "Record that a recruitment check was sent again")
      .annotate(GuardOf, guard("credentialCheck", "UPDATE"))
      .annotate(OpenApi.Description, descriptions.resend),
    HttpApiEndpoint.post("remind", "/recruitment-checks/:id/remind", {
      params: ResourceId,
      success: One(RecruitmentCheckDocument),
      error: actionErrors
    })
      .annotate(OpenApi.Summary, "Record a reminder of a recruitment check")
      .annotate(GuardOf, guard("credentialCheck", "UPDATE"))
      .annotate(OpenApi.Description, descriptions.remind),
    HttpApiEndpoint.post("cancel", "/recruitment-checks/:id/cancel", {
      params: ResourceId,
      success: One(RecruitmentCheckDocument),
      error: actionErrors
    })
      .annotate(GuardOf, guard("credentialCheck", "UPDATE"))
      .annotate(OpenApi.Description, descriptions.cancel)
  )
  .middleware(AnswerRefusals)
  .middleware(Authorize)
  .middleware(LimitRate)
  .middleware(Authenticate)
  .middleware(ResolveTenant)
  .middleware(Begin) {}
