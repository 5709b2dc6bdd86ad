import { RecruitmentCheck, RecruitmentCheckFields } from "@wcs/domain/screening/RecruitmentChecks"
import { Requirements } from "@wcs/domain/screening/ScreeningPackage"
import { ApplicantId, RecruitmentCheckId } from "@wcs/domain/shared/Id"
import { Schema } from "effect"
import { HttpApiGroup } from "effect/http-api"
import { crudEndpoints } from "../CrudGroup.ts"
import { documentOf, linkTo } from "../Envelope.ts"
import { includedOwners, includeOwners } from "../IncludedOwners.ts"
import { parameter, unitOf } from "../ListParameters.ts"
import { recruitmentCheckTable } from "../ListTables.ts"
import { guarded } from "../Middleware.ts"
import { wireErrors } from "../WireError.ts"
import { actionEndpoints, askedOptionally, invitationParameters } from "./Inviting.ts"

const { fields } = RecruitmentCheckFields

/** The response form of a recruitment check. */
export const RecruitmentCheckDocument = documentOf("credentialCheck", RecruitmentCheckId, {
  ...fields,
  requirements: Requirements.annotate({
    description:
      "The requirements of the screening package at the time of creation. Later changes of the package do not count."
  }),
  owners: includedOwners
}).annotate({ identifier: "RecruitmentCheck" })

/** The body of create and replace. Only the message and the expiry days can change. */
const RecruitmentCheckWrite = Schema.Struct({
  applicant: linkTo(ApplicantId).annotate({
    description: "The applicant that must meet the requirements. It cannot change."
  }),
  screeningPackageCode: fields.screeningPackageCode,
  ...askedOptionally
}).annotate({ identifier: "RecruitmentCheckWrite" })

const { create, list, patch, read, remove, replace } = crudEndpoints(RecruitmentCheck, {
  document: RecruitmentCheckDocument,
  table: recruitmentCheckTable,
  create: RecruitmentCheckWrite,
  replace: RecruitmentCheckWrite,
  createErrors: [wireErrors.UNPROCESSABLE],
  updateErrors: [wireErrors.UNPROCESSABLE],
  filters: {
    ...includeOwners,
    ownerExternalId: parameter("Recruitment checks of the applicant with this source.externalId."),
    applicantId: parameter("Recruitment checks of the applicant with this id."),
    screeningPackageCode: parameter("Recruitment checks with this screening package."),
    unit: unitOf("Recruitment checks"),
    ...invitationParameters
  }
})

const { cancel, remind, resend } = actionEndpoints(RecruitmentCheck, RecruitmentCheckDocument, "recruitment check")

/** `/recruitment-checks` (§4.2). */
export class RecruitmentChecksApi extends guarded(
  HttpApiGroup.make("recruitmentChecks").add(list, create, read, replace, patch, remove, resend, remind, cancel)
) {}
