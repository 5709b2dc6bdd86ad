import { OwnershipChangeDocument } from "@wcs/domain/credential/OwnershipChanges"
import { Credential, CredentialView } from "@wcs/domain/holding/Credential"
import { DecisionRequest } from "@wcs/domain/holding/Decision"
import { errorMessage, expiryDateText, verdictFields } from "@wcs/domain/holding/Verification"
import { VerificationDocument } from "@wcs/domain/holding/VerificationRecord"
import type { OwnerType } from "@wcs/domain/ownership/Ownership"
import { readsOf } from "@wcs/domain/resource/DerivedAnswer"
import { CredentialId } from "@wcs/domain/shared/Id"
import { CalendarDate } from "@wcs/domain/shared/Instant"
import { DecisionBounds } from "@wcs/domain/verification/Decisions"
import { NoticeRequest } from "@wcs/domain/verification/Notices"
import { Review, VerifyRequest } from "@wcs/domain/verification/Verifications"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  aboutCall,
  documentOf,
  Location,
  Many,
  One,
  OneCorrelated,
  OneUpdated,
  ResourceId,
  requestId,
  warnings
} from "../Envelope.ts"
import { GuardOf, guard, guardOfAll } from "../Guard.ts"
import { includedOwners, includeOwners } from "../IncludedOwners.ts"
import {
  asOf,
  listParameters,
  parameter,
  readParameters,
  search,
  sortOf,
  timelineParameters,
  unitOf
} from "../ListParameters.ts"
import { TableOf } from "../ListTable.ts"
import { credentialTable } from "../ListTables.ts"
import { mergePatch } from "../MergePatch.ts"
import { guarded } from "../Middleware.ts"
import { Batch, BulkLinkBody, BulkTransferBody, LinkBody, TransferBody, UnlinkBody } from "../OwnershipBodies.ts"
import { withOptionalBody } from "../openapi/OptionalBody.ts"
import { ResourceOf } from "../ResourceOf.ts"
import { restoreEndpoint } from "../Restoring.ts"
import { comparesOnly, comparesTag, showsTag, TagsOf } from "../TagsOf.ts"
import { everyBody, everyCall, everyComparison, wireErrors } from "../WireError.ts"

const document = documentOf("credential", CredentialId, {
  ...CredentialView.fields,
  owners: includedOwners
}).annotate({
  identifier: "Credential"
})
type Document = typeof document

/** The response form of a credential. Its type has a name, because the compiler limits the text of a surface's type. */
export interface CredentialDocument extends Document {}
export const CredentialDocument: CredentialDocument = document

const attributes = CredentialView.fields.attributes

/** The body of create and replace. Omitted slots are empty. */
const CredentialWrite = Schema.Struct({
  attributes: Schema.Struct({
    ...attributes.fields,
    owners: Schema.optionalKey(
      Schema.Struct({
        worker: Schema.optionalKey(attributes.fields.owners.fields.worker),
        applicant: Schema.optionalKey(attributes.fields.owners.fields.applicant)
      } satisfies Record<OwnerType, unknown>)
    ).annotate({
      description:
        "The first owners, at least one. Omitted slots are empty. A replacement cannot change owners: " +
        "use link, unlink or transfer."
    })
  }).annotate({ description: "The card and its owners." })
}).annotate({ identifier: "CredentialWrite" })

/** The errors of link, unlink and transfer (§7.1). */
const ownershipErrors = [
  wireErrors.PRECONDITION_FAILED,
  wireErrors.ALREADY_LINKED,
  wireErrors.OWNER_MISMATCH,
  wireErrors.UNPROCESSABLE,
  ...everyBody,
  ...everyCall
] as const

const correlationId = Schema.String.annotate({
  description: "Correlates the event with this call (§6): the id that was sent, or a new one."
})

const verdict = {
  ...verdictFields,
  expiryDate: Schema.NullOr(CalendarDate).annotate({ description: expiryDateText }),
  errorMessage,
  correlationId,
  requestId
}

/** The response of verify. §2.2 shows flat fields and also requires an envelope, so it has both. */
const Verified = Schema.Struct({
  ...verdict,
  data: Schema.Struct(verdict)
    .annotate({ identifier: "Verified" })
    .annotateKey({ description: "The verdict, if the register answered in time. Otherwise it arrives as an event." }),
  meta: Schema.Struct({ requestId, correlationId, warnings }).annotate(aboutCall)
}).annotate({
  identifier: "VerifiedAnswer",
  description: "The verdict in `data`. The top level repeats the fields for clients that read flat answers."
})

const reverifies =
  "A change of credentialType, identifier, issueNumber or holder clears the verdict and the register's expiryDate. " +
  "If the type is verifiable, the change also starts a verification."

/** `/credentials` (§4.2). */
export class CredentialsApi extends guarded(
  HttpApiGroup.make("credentials").add(
    HttpApiEndpoint.get("list", "/credentials", {
      query: {
        ...listParameters,
        sort: sortOf(Credential),
        ...includeOwners,
        ownerExternalId: parameter("Credentials of the owner with this `source.externalId`."),
        ownerType: parameter("The slot of `ownerId`. Use together with `ownerId`."),
        ownerId: parameter("Credentials of the owner with this id. Use together with `ownerType`."),
        credentialType: parameter("Exact match on the type."),
        jurisdiction: parameter("Exact match on the jurisdiction."),
        identifier: parameter("Match on `attributes.identifier`, ignoring letter case, spaces and hyphens."),
        eligibility: parameter("Eligibility as of today."),
        expiringFrom: parameter("Expires on or after this date."),
        expiringBefore: parameter("Expires before this date."),
        unit: unitOf("Credentials"),
        query: search
      },
      success: Many(CredentialDocument),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(TableOf, credentialTable)
      .annotate(GuardOf, guard("credential", "READ"))
      .annotate(ResourceOf, Credential),
    HttpApiEndpoint.post("create", "/credentials", {
      payload: CredentialWrite,
      success: HttpApiSchema.WithHeaders(OneCorrelated(CredentialDocument).pipe(HttpApiSchema.status(201)), Location),
      error: [wireErrors.UNPROCESSABLE, ...everyBody, ...everyCall]
    })
      .annotate(GuardOf, guard("credential", "CREATE"))
      .annotate(TagsOf, showsTag(Credential)),
    HttpApiEndpoint.get("read", "/credentials/:id", {
      params: ResourceId,
      query: { ...readParameters, ...includeOwners, asOf },
      success: One(CredentialDocument),
      error: [...everyComparison, ...everyCall]
    })
      .annotate(GuardOf, guard("credential", "READ"))
      .annotate(TagsOf, showsTag(Credential)),
    HttpApiEndpoint.put("replace", "/credentials/:id", {
      params: ResourceId,
      payload: CredentialWrite,
      success: OneUpdated(CredentialDocument),
      error: [wireErrors.UNPROCESSABLE, wireErrors.PRECONDITION_FAILED, ...everyBody, ...everyCall]
    })
      .annotate(TagsOf, comparesTag)
      .annotate(OpenApi.Description, reverifies)
      .annotate(GuardOf, guard("credential", "UPDATE")),
    HttpApiEndpoint.patch("patch", "/credentials/:id", {
      params: ResourceId,
      payload: mergePatch,
      success: OneUpdated(CredentialDocument),
      error: [wireErrors.UNPROCESSABLE, wireErrors.PRECONDITION_FAILED, ...everyBody, ...everyCall]
    })
      .annotate(TagsOf, comparesTag)
      .annotate(OpenApi.Description, reverifies)
      .annotate(GuardOf, guard("credential", "UPDATE")),
    HttpApiEndpoint.delete("remove", "/credentials/:id", {
      params: ResourceId,
      success: HttpApiSchema.NoContent,
      error: [wireErrors.UNPROCESSABLE, ...everyComparison, ...everyCall]
    })
      .annotate(GuardOf, guard("credential", "DELETE"))
      .annotate(TagsOf, comparesOnly),
    restoreEndpoint(Credential, OneUpdated(CredentialDocument), [wireErrors.UNPROCESSABLE]),
    HttpApiEndpoint.post("link", "/credentials/:id/link", {
      params: ResourceId,
      payload: LinkBody.annotate({ identifier: "Link" }),
      success: One(CredentialDocument),
      error: ownershipErrors
    })
      .annotate(TagsOf, comparesTag)
      .annotate(OpenApi.Summary, "Link an owner to a credential")
      .annotate(GuardOf, guard("credential", "UPDATE")),
    HttpApiEndpoint.post("unlink", "/credentials/:id/unlink", {
      params: ResourceId,
      payload: UnlinkBody.annotate({
        identifier: "Unlink"
      }),
      success: One(CredentialDocument),
      error: ownershipErrors
    })
      .annotate(TagsOf, comparesTag)
      .annotate(OpenApi.Summary, "Unlink an owner from a credential")
      .annotate(GuardOf, guard("credential", "UPDATE")),
    HttpApiEndpoint.post("transfer", "/credentials/:id/transfer", {
      params: ResourceId,
      payload: TransferBody.annotate({
        identifier: "Transfer"
      }),
      success: One(CredentialDocument),
      error: ownershipErrors
    })
      .annotate(TagsOf, comparesTag)
      .annotate(OpenApi.Summary, "Transfer a credential to another owner")
      .annotate(GuardOf, guard("credential", "UPDATE")),
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
      query: timelineParameters("requested"),
      success: Many(VerificationDocument.annotate({ identifier: "Verification" })),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    }).annotate(GuardOf, guard("credential", "READ")),
    HttpApiEndpoint.get("ownership", "/credentials/:id/ownership", {
      params: ResourceId,
      query: timelineParameters("changed", "desc"),
      success: Many(OwnershipChangeDocument.annotate({ identifier: "OwnershipChange" })),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(OpenApi.Summary, "List the ownership history of a credential")
      .annotate(
        OpenApi.Description,
        "Every change of the owners, from the creation on. Changes from before this endpoint was introduced are missing."
      )
      .annotate(GuardOf, guard("credential", "READ")),
    HttpApiEndpoint.post("review", "/credentials/:id/review", {
      params: ResourceId,
      payload: Review.annotate({ identifier: "Review" }),
      success: One(CredentialDocument),
      error: [wireErrors.UNPROCESSABLE, wireErrors.PRECONDITION_FAILED, ...everyBody, ...everyCall]
    })
      .annotate(TagsOf, comparesTag)
      .annotate(OpenApi.Summary, "Record the decision of a review")
      .annotate(
        GuardOf,
        guardOfAll([{ entityType: "verification", operation: "UPDATE" }, ...readsOf("reviewedCredential")])
      ),
    HttpApiEndpoint.post("notices", "/credentials/:id/notices", {
      params: ResourceId,
      payload: NoticeRequest.annotate({ identifier: "NoticeRequest" }),
      success: One(CredentialDocument),
      error: [wireErrors.UNPROCESSABLE, wireErrors.PRECONDITION_FAILED, ...everyBody, ...everyCall]
    })
      .annotate(TagsOf, comparesTag)
      .annotate(OpenApi.Summary, "Record a notice of a register")
      .annotate(
        OpenApi.Description,
        "For what a register told by letter. The verdict replaces an older one until the register answers again. If the " +
          "register answered after the day of the notice, only the list of verifications has it, with a warning."
      )
      .annotate(
        GuardOf,
        guardOfAll([{ entityType: "verification", operation: "UPDATE" }, ...readsOf("reviewedCredential")])
      ),
    HttpApiEndpoint.post("decisions", "/credentials/:id/decisions", {
      params: ResourceId,
      payload: DecisionRequest.annotate({ identifier: "DecisionRequest" }),
      success: One(CredentialDocument),
      error: [wireErrors.UNPROCESSABLE, wireErrors.PRECONDITION_FAILED, ...everyBody, ...everyCall]
    })
      .annotate(TagsOf, comparesTag)
      .annotate(OpenApi.Summary, "Decide about a credential")
      .annotate(
        OpenApi.Description,
        "Answers what a register leaves to a person, such as CONDITIONAL. The verdict stays. The decision counts in " +
          "compliance until its last day. MAY_ENGAGE ends earlier when a later verdict refuses or asks something else. " +
          "A new decision replaces one in force, also if no question is open."
      )
      .annotate(
        GuardOf,
        guardOfAll([{ entityType: "verification", operation: "UPDATE" }, ...readsOf("decidedCredential")])
      ),
    HttpApiEndpoint.get("decidable", "/credentials/:id/decidable", {
      params: ResourceId,
      success: One(DecisionBounds.annotate({ identifier: "DecisionBounds" })),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Read what can be decided about a credential")
      .annotate(OpenApi.Description, "What `POST /credentials/{id}/decisions` of this caller accepts now.")
      .annotate(GuardOf, guardOfAll(readsOf("decidedCredential"))),
    HttpApiEndpoint.post("bulkLink", "/credentials/link", {
      payload: BulkLinkBody.annotate({
        identifier: "BulkLink"
      }),
      success: Batch,
      error: [wireErrors.UNPROCESSABLE, ...everyBody, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Link an owner to many credentials")
      .annotate(GuardOf, guard("credential", "UPDATE", "intensive")),
    HttpApiEndpoint.post("bulkTransfer", "/credentials/transfer", {
      payload: BulkTransferBody.annotate({
        identifier: "BulkTransfer"
      }),
      success: Batch,
      error: [wireErrors.UNPROCESSABLE, ...everyBody, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Transfer many credentials to another owner")
      .annotate(GuardOf, guard("credential", "UPDATE", "intensive"))
  )
) {}
