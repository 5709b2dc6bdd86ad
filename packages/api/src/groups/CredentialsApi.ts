import { CredentialView } from "@wcs/domain/credential/Credential"
import { OwnershipChangeDocument } from "@wcs/domain/ownership/OwnershipChanges"
import { ApplicantFields } from "@wcs/domain/people/Applicant"
import { WorkerFields } from "@wcs/domain/people/Worker"
import { readsOf } from "@wcs/domain/resource/DerivedAnswer"
import { ApplicantId, CredentialId, WorkerId } from "@wcs/domain/shared/Id"
import { CalendarDate } from "@wcs/domain/shared/Instant"
import { EligibilityWord, StatusDetailWord } from "@wcs/domain/verification/Verification"
import { VerificationDocument } from "@wcs/domain/verification/VerificationRecord"
import { Review, VerifyRequest } from "@wcs/domain/verification/Verifications"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { documentOf, Location, Many, One, OneCorrelated, OneUpdated, ResourceId } from "../Envelope.ts"
import { GuardOf, guard, guardOfAll } from "../Guard.ts"
import { listParameters, parameter, readParameters, seriesParameters } from "../ListParameters.ts"
import { mergePatch } from "../MergePatch.ts"
import { AnswerRefusals, Authenticate, Authorize, Begin, LimitRate, ResolveTenant } from "../Middleware.ts"
import { withOptionalBody } from "../openapi/OptionalBody.ts"
import { everyBody, everyCall, wireErrors } from "../WireError.ts"
import { Batch, BulkLinkBody, BulkTransferBody, LinkBody, TransferBody, UnlinkBody } from "./OwnershipBodies.ts"

/** A credential as the wire shows it. */
export const CredentialDocument = documentOf("credential", CredentialId, {
  ...CredentialView.fields,
  owners: Schema.optionalKey(
    Schema.Struct({
      worker: Schema.NullOr(
        documentOf("worker", WorkerId, WorkerFields.fields).annotate({ identifier: "OwningWorker" })
      ),
      applicant: Schema.NullOr(
        documentOf("applicant", ApplicantId, ApplicantFields.fields).annotate({ identifier: "OwningApplicant" })
      )
    }).annotate({ description: "With include=owners. Null: the slot is empty, or its owner is deleted." })
  )
}).annotate({
  identifier: "Credential"
})

const includeParameter = {
  include: parameter("owners: with the owners themselves; needs worker READ and applicant READ.")
}

const attributes = CredentialView.fields.attributes

/** What is sent to create or replace one: the slots that are left out are empty. */
const CredentialWrite = Schema.Struct({
  attributes: Schema.Struct({
    ...attributes.fields,
    owners: Schema.optionalKey(
      Schema.Struct({
        worker: Schema.optionalKey(attributes.fields.owners.fields.worker),
        applicant: Schema.optionalKey(attributes.fields.owners.fields.applicant)
      })
    )
  })
}).annotate({ identifier: "CredentialWrite" })

/** What link, unlink and transfer can answer beside their success (§7.1). */
const ownershipErrors = [
  wireErrors.ALREADY_LINKED,
  wireErrors.OWNER_MISMATCH,
  wireErrors.UNPROCESSABLE,
  ...everyBody,
  ...everyCall
] as const

const requestId = Schema.String.annotate({ description: "The server's id of this request: X-Request-Id." })

const correlationId = Schema.String.annotate({
  description: "Ties the event to this call (§6): the one that was sent, or a fresh one."
})

const verdict = {
  eligibility: EligibilityWord,
  statusDetail: StatusDetailWord,
  expiryDate: Schema.NullOr(CalendarDate),
  errorMessage: Schema.NullOr(Schema.String).annotate({ description: "Why there is no verdict; null where there is." }),
  correlationId,
  requestId
}

/** The answer to verify. §2.2 has the fields by themselves, and bodies in an envelope: they stand in both. */
const Verified = Schema.Struct({
  ...verdict,
  data: Schema.Struct(verdict).annotate({ identifier: "Verified" }),
  meta: Schema.Struct({ requestId, correlationId, warnings: Schema.optionalKey(Schema.Array(Schema.String)) })
}).annotate({
  identifier: "VerifiedAnswer",
  description: "The verdict in `data`; the same fields beside it are for clients that read the answer flat."
})

const reverifies =
  "A change of credentialType, identifier, issueNumber or holder clears the verdict and a register's expiryDate. " +
  "If the type is verifiable, the change starts a verification, as a create does."

/** `/credentials` (§4.2). */
export class CredentialsApi extends HttpApiGroup.make("credentials")
  .add(
    HttpApiEndpoint.get("list", "/credentials", {
      query: {
        ...listParameters,
        ...includeParameter,
        ownerExternalId: parameter("Held by an owner with exactly this source.externalId."),
        ownerType: parameter("worker or applicant, beside ownerId."),
        ownerId: parameter("Held by this owner, beside ownerType."),
        credentialType: parameter("A code of the catalogue."),
        jurisdiction: parameter("NSW, VIC, QLD, SA, WA, TAS, ACT, NT or NATIONAL."),
        identifier: parameter("With exactly this attributes.identifier."),
        eligibility: parameter("As it reads today."),
        expiringFrom: parameter("YYYY-MM-DD, inclusive."),
        expiringBefore: parameter("YYYY-MM-DD, exclusive.")
      },
      success: Many(CredentialDocument),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("credential", "READ")),
    HttpApiEndpoint.post("create", "/credentials", {
      payload: CredentialWrite,
      success: HttpApiSchema.WithHeaders(OneCorrelated(CredentialDocument).pipe(HttpApiSchema.status(201)), Location),
      error: [wireErrors.UNPROCESSABLE, ...everyBody, ...everyCall]
    }).annotate(GuardOf, guard("credential", "CREATE")),
    HttpApiEndpoint.get("read", "/credentials/:id", {
      params: ResourceId,
      query: { ...readParameters, ...includeParameter },
      success: One(CredentialDocument),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("credential", "READ")),
    HttpApiEndpoint.put("replace", "/credentials/:id", {
      params: ResourceId,
      payload: CredentialWrite,
      success: OneUpdated(CredentialDocument),
      error: [...everyBody, ...everyCall]
    })
      .annotate(OpenApi.Description, reverifies)
      .annotate(GuardOf, guard("credential", "UPDATE")),
    HttpApiEndpoint.patch("patch", "/credentials/:id", {
      params: ResourceId,
      payload: mergePatch,
      success: OneUpdated(CredentialDocument),
      error: [...everyBody, ...everyCall]
    })
      .annotate(OpenApi.Description, reverifies)
      .annotate(GuardOf, guard("credential", "UPDATE")),
    HttpApiEndpoint.delete("remove", "/credentials/:id", {
      params: ResourceId,
      success: HttpApiSchema.NoContent,
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("credential", "DELETE")),
    HttpApiEndpoint.post("link", "/credentials/:id/link", {
      params: ResourceId,
      payload: LinkBody.annotate({ identifier: "Link" }),
      success: One(CredentialDocument),
      error: ownershipErrors
    }).annotate(GuardOf, guard("credential", "UPDATE")),
    HttpApiEndpoint.post("unlink", "/credentials/:id/unlink", {
      params: ResourceId,
      payload: UnlinkBody.annotate({ identifier: "Unlink" }),
      success: One(CredentialDocument),
      error: ownershipErrors
    }).annotate(GuardOf, guard("credential", "UPDATE")),
    HttpApiEndpoint.post("transfer", "/credentials/:id/transfer", {
      params: ResourceId,
      payload: TransferBody.annotate({ identifier: "Transfer" }),
      success: One(CredentialDocument),
      error: ownershipErrors
    }).annotate(GuardOf, guard("credential", "UPDATE")),
    HttpApiEndpoint.post("verify", "/credentials/:id/verify", {
      params: ResourceId,
      payload: VerifyRequest.annotate({ identifier: "VerifyRequest" }),
      success: Verified,
      error: [wireErrors.UNPROCESSABLE, ...everyBody, ...everyCall]
    })
      .annotate(OpenApi.Transform, withOptionalBody)
      .annotate(GuardOf, guard("credential", "UPDATE", "intensive")),
    HttpApiEndpoint.get("verifications", "/credentials/:id/verifications", {
      params: ResourceId,
      query: seriesParameters("asked for"),
      success: Many(VerificationDocument.annotate({ identifier: "Verification" })),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("credential", "READ")),
    HttpApiEndpoint.get("ownership", "/credentials/:id/ownership", {
      params: ResourceId,
      query: seriesParameters("made", "desc"),
      success: Many(OwnershipChangeDocument.annotate({ identifier: "OwnershipChange" })),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Ownership history of a credential")
      .annotate(
        OpenApi.Description,
        "Every change of the owners, from the creation on. Changes before this endpoint existed are not listed."
      )
      .annotate(GuardOf, guard("credential", "READ")),
    HttpApiEndpoint.post("review", "/credentials/:id/review", {
      params: ResourceId,
      payload: Review.annotate({ identifier: "Review" }),
      success: One(CredentialDocument),
      error: [wireErrors.UNPROCESSABLE, ...everyBody, ...everyCall]
    }).annotate(
      GuardOf,
      guardOfAll([{ entityType: "verification", operation: "UPDATE" }, ...readsOf("reviewedCredential")])
    ),
    HttpApiEndpoint.post("bulkLink", "/credentials/link", {
      payload: BulkLinkBody.annotate({ identifier: "BulkLink" }),
      success: Batch,
      error: [wireErrors.UNPROCESSABLE, ...everyBody, ...everyCall]
    }).annotate(GuardOf, guard("credential", "UPDATE", "intensive")),
    HttpApiEndpoint.post("bulkTransfer", "/credentials/transfer", {
      payload: BulkTransferBody.annotate({ identifier: "BulkTransfer" }),
      success: Batch,
      error: [wireErrors.UNPROCESSABLE, ...everyBody, ...everyCall]
    }).annotate(GuardOf, guard("credential", "UPDATE", "intensive"))
  )
  .middleware(AnswerRefusals)
  .middleware(Authorize)
  .middleware(LimitRate)
  .middleware(Authenticate)
  .middleware(ResolveTenant)
  .middleware(Begin) {}
