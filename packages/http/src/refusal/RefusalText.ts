import type { EmailTaken } from "@wcs/domain/access/AccessStore"
import type { NotAUser } from "@wcs/domain/access/Issued"
import type { MakerEnded } from "@wcs/domain/access/Lineage"
import { entities, type Forbidden, refusalText } from "@wcs/domain/access/Privilege"
import type { RateLimited } from "@wcs/domain/access/RateLimitTier"
import type { OutlivesMaker } from "@wcs/domain/access/TokenLifetime"
import type { TooManySelected } from "@wcs/domain/credential/Credentials"
import type { AccountUnverified, OtherOrganization } from "@wcs/domain/legacy/LegacyAccess"
import type { NoSuchUser } from "@wcs/domain/legacy/LegacyAuthentication"
import type { PasswordsBusy } from "@wcs/domain/login/Passwords"
import type { NotASession } from "@wcs/domain/login/StepUp"
import type * as Ownership from "@wcs/domain/ownership/Ownership"
import type { LinkNotFound } from "@wcs/domain/resource/Links"
import type { CollectionFull, DuplicateId, ResourceNotFound } from "@wcs/domain/resource/Resource"
import type { Fault } from "@wcs/domain/resource/SchemaFaults"
import type { CheckDisabled } from "@wcs/domain/screening/ComplianceEvaluation"
import type { ItemBroken } from "@wcs/domain/screening/FetchRequests"
import type { InvitationClosed } from "@wcs/domain/screening/Invitation"
import type { PackageInactive } from "@wcs/domain/screening/RecruitmentChecks"
import { toRfc3339 } from "@wcs/domain/shared/Instant"
import type { InvalidArgument, InvalidUrn, MalformedBody } from "@wcs/domain/shared/InvalidArgument"
import type { BreakGlassMissing } from "@wcs/domain/single-sign-on/IdentityProviders"
import type { AlreadyJoined } from "@wcs/domain/user/TenantUsers"
import type { LastSuperAdmin } from "@wcs/domain/user/UserRights"
import type { NoReviewWaiting, NotVerifiable, TooManyWaiting } from "@wcs/domain/verification/Verifications"
import type { DeliveryNotFound, WebhookInactive } from "@wcs/domain/webhook/Deliveries"
import type { SecretsFull } from "@wcs/domain/webhook/WebhookSecret"
import type { HttpRefusal } from "./HttpRefusal.ts"

/** Every reason to refuse a call. */
export type Refusal =
  | InvalidArgument
  | InvalidUrn
  | MalformedBody
  | Forbidden
  | ResourceNotFound
  | DuplicateId
  | CollectionFull
  | LinkNotFound
  | CheckDisabled
  | PackageInactive
  | InvitationClosed
  | ItemBroken
  | NotVerifiable
  | TooManyWaiting
  | NoReviewWaiting
  | DeliveryNotFound
  | WebhookInactive
  | SecretsFull
  | BreakGlassMissing
  | Ownership.Refusal
  | Ownership.CredentialNotFound
  | Ownership.MalformedCredentialId
  | TooManySelected
  | NotAUser
  | OutlivesMaker
  | MakerEnded
  | EmailTaken
  | AlreadyJoined
  | LastSuperAdmin
  | NotASession
  | AccountUnverified
  | OtherOrganization
  | NoSuchUser
  | PasswordsBusy
  | RateLimited
  | HttpRefusal

const alreadyLinkedText = ({ advice, holder, slot }: Ownership.AlreadyLinked): string => {
  switch (advice) {
    case "transfer":
      return `The ${slot} slot holds ${holder}. Use transfer to change the owner.`
    case "unlink first":
      return `The ${slot} slot holds ${holder}. Unlink that owner first.`
  }
}

const linkNotFoundText = ({ entityType, field, found }: LinkNotFound): string => {
  const { plural } = entities[entityType]
  return found === "none"
    ? `${field}: none of the ${plural} matches.`
    : `${field}: several ${plural} have this externalId. Use the id instead.`
}

const faultText = ({ field, reason }: Fault): string => `${field === "" ? "The body" : field} ${reason}.`

const invalidText = ({ isCut, others = [], shapes, ...first }: InvalidArgument): string =>
  [
    ...[first, ...others].map(faultText),
    ...(isCut === true ? ["More fields are invalid."] : []),
    ...(shapes === undefined ? [] : [`The body must be ${shapes.join(" or ")}.`])
  ].join(" ")

const invitationClosedText = ({ action, status }: InvitationClosed): string => {
  if (action === "cancel") return `The status is ${status}, which is final. Nothing was cancelled.`
  return status === "EXPIRED"
    ? "The status is EXPIRED. Use resend to restart the deadline."
    : `The status is ${status}, which is final. Create a new recruitment check or fetch request.`
}

/** The message of a refusal. Messages may change between releases (§9); codes do not. */
export const textOf = (refusal: Refusal): string => {
  switch (refusal._tag) {
    case "InvalidArgument":
      return invalidText(refusal)
    case "InvalidUrn":
      return `${refusal.field} must be a URN of the form urn:wcs:ban:<register>:<key>.`
    case "MalformedBody":
      return `The body cannot be read: ${refusal.reason}.`
    case "Forbidden":
      return refusalText(refusal)
    case "ResourceNotFound":
      return `${refusal.id} was not found among the ${entities[refusal.entityType].plural}.`
    case "DuplicateId":
      return `${refusal.id} exists or existed among the ${entities[refusal.entityType].plural}. Ids cannot be reused: choose another.`
    case "CollectionFull":
      return `The limit of ${refusal.most} ${entities[refusal.entityType].plural} is reached. Delete one first.`
    case "LinkNotFound":
      return linkNotFoundText(refusal)
    case "CheckDisabled":
      return `The compliance check ${refusal.code} is disabled. Enable the check first.`
    case "PackageInactive":
      return `screeningPackageCode: the screening package ${refusal.code} is inactive. Use an active one.`
    case "InvitationClosed":
      return invitationClosedText(refusal)
    case "ItemBroken":
      return "Internal error. Check whether the item was created before you retry."
    case "NotVerifiable":
      return `Credentials of type ${refusal.credentialType} cannot be verified: no register covers this type.`
    case "TooManyWaiting":
      return `${refusal.limit} verifications of ${refusal.credentialId} are already pending. Wait for a verdict before you retry.`
    case "NoReviewWaiting":
      return `No review of ${refusal.credentialId} is waiting for a decision.`
    case "DeliveryNotFound":
      return `The webhook has no delivery ${refusal.deliveryId}.`
    case "WebhookInactive":
      return `The webhook ${refusal.webhookId} is disabled. Enable the webhook first.`
    case "SecretsFull":
      return `The webhook has ${refusal.max} valid signing secrets, the maximum. The next rotation is possible after ${toRfc3339(refusal.until)}.`
    case "BreakGlassMissing":
      return "required: only a Super Admin with a password and a second factor can require single sign-on."
    case "CredentialNotFound":
      return `${refusal.credentialId} was not found among the credentials.`
    case "MalformedCredentialId":
      return `credentialIds: ${refusal.credentialId.slice(0, 100)} is not a credential id.`
    case "AlreadyLinked":
      return alreadyLinkedText(refusal)
    case "OwnerMismatch":
      return `The given owner does not hold the ${refusal.slot} slot; current owner: ${refusal.holder ?? "none"}.`
    case "LastOwner":
      return `${refusal.holder} is the only remaining owner. Delete the credential instead.`
    case "OwnerNotFound":
      return `There is no ${refusal.owner.type} ${refusal.owner.id}.`
    case "TooManySelected":
      return `More than ${refusal.limit} credentials match. Send smaller batches in credentialIds.`
    case "NotAUser":
      return `${refusal.account} is a service account. Only users can create access tokens and API clients.`
    case "OutlivesMaker":
      return `expiresInSeconds: a new token cannot outlive the token of this call. Use at most ${refusal.maxLifetimeSeconds} seconds, or omit the field.`
    case "MakerEnded":
      return "The token of this call has expired or was revoked. Nothing was created."
    case "EmailTaken":
      return `email: the organization already has a user with ${refusal.email}.`
    case "AlreadyJoined":
      return `${refusal.email} has a password or is deactivated. Invite links are for active users without a password.`
    case "LastSuperAdmin":
      return "The user is the last active Super Admin. Make another user a Super Admin first."
    case "NotASession":
      return "This call needs a logged-in user. Tokens cannot create or change logins."
    case "AccountUnverified":
      return "The account is not verified. Ask the operator to verify the account."
    case "OtherOrganization":
      return "The requested record belongs to another organization."
    case "NoSuchUser":
      return "The id in the path must be the id of the caller. GET /users/me returns the id."
    case "RateLimited":
      return `The rate limit is exceeded. Try again in ${refusal.quota.resetSeconds} seconds.`
    case "InsecureTransport":
      return "HTTPS is required."
    case "MalformedRequest":
      return `The request cannot be read: ${refusal.reason}.`
    case "RequestTimeout":
      return "The request did not arrive completely in time."
    case "UnknownHost":
      return "There is no tenant at this host."
    case "UnknownPath":
      return "There is nothing at this path."
    case "MethodNotAllowed":
      return `Method not allowed. Allowed methods: ${refusal.allowed.join(", ")}.`
    case "PayloadTooLarge":
      return `The body is larger than ${refusal.limitBytes} bytes.`
    case "UriTooLong":
      return `The path and query are longer than ${refusal.limitBytes} bytes.`
    case "HeadersTooLarge":
      return `The headers are larger than ${refusal.limitBytes} bytes.`
    case "UnsupportedMediaType":
      return `The Content-Type must be ${refusal.supported.join(" or ")}.`
    case "PasswordsBusy":
    case "Unavailable":
      return `The service is busy. Try again in ${refusal.retryAfterSeconds} seconds.`
  }
}

/** The response headers of a refusal. */
export const headersOf = (refusal: Refusal): Readonly<Record<string, string>> => {
  switch (refusal._tag) {
    case "RateLimited":
      return { "retry-after": String(refusal.quota.resetSeconds) }
    case "PasswordsBusy":
    case "Unavailable":
      return { "retry-after": String(refusal.retryAfterSeconds) }
    case "MethodNotAllowed":
      return { allow: refusal.allowed.join(", ") }
    case "PayloadTooLarge":
    case "HeadersTooLarge":
    case "RequestTimeout":
    case "MalformedRequest":
      return { connection: "close" } // the rest of the request is not read
    default:
      return {}
  }
}
