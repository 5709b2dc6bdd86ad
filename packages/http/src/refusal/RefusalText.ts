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

/** Everything that a call can be refused for. */
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
      return `The ${slot} slot holds ${holder}. Use transfer to change its owner.`
    case "unlink first":
      return `The ${slot} slot holds ${holder}. Unlink that owner first.`
  }
}

const linkNotFoundText = ({ entityType, field, found }: LinkNotFound): string => {
  const { plural } = entities[entityType]
  return found === "none"
    ? `${field}: there is none such among the ${plural}.`
    : `${field}: several ${plural} have this externalId. Name one by its id.`
}

const faultText = ({ field, reason }: Fault): string => `${field === "" ? "The body" : field} ${reason}.`

const invalidText = ({ isCut, others = [], shapes, ...first }: InvalidArgument): string =>
  [
    ...[first, ...others].map(faultText),
    ...(isCut === true ? ["More fields are wrong."] : []),
    ...(shapes === undefined ? [] : [`The body must be ${shapes.join(" or ")}.`])
  ].join(" ")

const invitationClosedText = ({ action, status }: InvitationClosed): string => {
  if (action === "cancel") return `It is ${status}: there is nothing to cancel.`
  return status === "EXPIRED"
    ? "It is EXPIRED. Use resend, which counts its days anew."
    : `It is ${status} and stays as it is. Create another in its place.`
}

/** What a refusal says to people. Texts may change between releases (§9); codes do not. */
export const textOf = (refusal: Refusal): string => {
  switch (refusal._tag) {
    case "InvalidArgument":
      return invalidText(refusal)
    case "InvalidUrn":
      return `${refusal.field} must be a URN of this service.`
    case "MalformedBody":
      return `The body cannot be read: ${refusal.reason}.`
    case "Forbidden":
      return refusalText(refusal)
    case "ResourceNotFound":
      return `Among the ${entities[refusal.entityType].plural} there is no ${refusal.id}.`
    case "DuplicateId":
      return `Among the ${entities[refusal.entityType].plural} there is ${refusal.id} already, or was: ids are not given twice.`
    case "CollectionFull":
      return `There are ${refusal.most} ${entities[refusal.entityType].plural} already, as many as there may be. Delete one first.`
    case "LinkNotFound":
      return linkNotFoundText(refusal)
    case "CheckDisabled":
      return `The compliance check ${refusal.code} is disabled. Enable it to evaluate it.`
    case "PackageInactive":
      return `screeningPackageCode: ${refusal.code} is inactive. Name an active screening package.`
    case "InvitationClosed":
      return invitationClosedText(refusal)
    case "ItemBroken":
      return "The service failed at it. Look whether it was made before you ask again."
    case "NotVerifiable":
      return `No register can be asked about a credential of type ${refusal.credentialType}.`
    case "TooManyWaiting":
      return `${refusal.limit} verifications of ${refusal.credentialId} await a verdict already. Ask again once it is there.`
    case "NoReviewWaiting":
      return `No decision is awaited for ${refusal.credentialId}.`
    case "DeliveryNotFound":
      return `The webhook has no delivery ${refusal.deliveryId}.`
    case "WebhookInactive":
      return `The webhook ${refusal.webhookId} takes no deliveries. Enable it first.`
    case "SecretsFull":
      return `The webhook has ${refusal.max} signing secrets that are valid still. Rotate when one of them has retired, after ${toRfc3339(refusal.until)}.`
    case "BreakGlassMissing":
      return "required: only a Super Admin with a password and a second factor can require single sign-on."
    case "CredentialNotFound":
      return `Among the credentials there is no ${refusal.credentialId}.`
    case "MalformedCredentialId":
      return `credentialIds: ${refusal.credentialId.slice(0, 100)} is no credential id.`
    case "AlreadyLinked":
      return alreadyLinkedText(refusal)
    case "OwnerMismatch":
      return `The current owner in the ${refusal.slot} slot is another than the one given; current owner: ${refusal.holder ?? "none"}.`
    case "LastOwner":
      return `${refusal.holder} is the only remaining owner. Delete the credential instead.`
    case "OwnerNotFound":
      return `There is no ${refusal.owner.type} ${refusal.owner.id}.`
    case "TooManySelected":
      return `More than ${refusal.limit} credentials are selected. Name them in batches with credentialIds.`
    case "NotAUser":
      return `${refusal.account} is a service account. Only a user makes access tokens and API clients.`
    case "OutlivesMaker":
      return `expiresInSeconds: the token of this call expires, and a token that it makes cannot live longer. Ask for at most ${refusal.maxLifetimeSeconds} seconds, or leave expiresInSeconds out.`
    case "MakerEnded":
      return "The token of this call has just ended. Nothing was made."
    case "EmailTaken":
      return `email: the organization has a user ${refusal.email} already.`
    case "AlreadyJoined":
      return `${refusal.email} has a password or is deactivated. Invite links are for active users without a password.`
    case "LastSuperAdmin":
      return "The user is the last active Super Admin. Give the role to another user first."
    case "NotASession":
      return "Only a person who is logged in can do this. Tokens make and change no logins."
    case "AccountUnverified":
      return "This account is not verified."
    case "OtherOrganization":
      return "This is not one of your organization's."
    case "NoSuchUser":
      return "There is no such user."
    case "RateLimited":
      return `The rate limit is used up. Try again in ${refusal.quota.resetSeconds} seconds.`
    case "InsecureTransport":
      return "HTTPS is required."
    case "MalformedRequest":
      return `The request cannot be read: ${refusal.reason}.`
    case "RequestTimeout":
      return "The request was not complete in time."
    case "UnknownHost":
      return "There is no tenant at this host."
    case "UnknownPath":
      return "There is nothing at this path."
    case "MethodNotAllowed":
      return `This path takes ${refusal.allowed.join(", ")}.`
    case "PayloadTooLarge":
      return `The body is larger than ${refusal.limitBytes} bytes.`
    case "UriTooLong":
      return `The path and query are longer than ${refusal.limitBytes} bytes.`
    case "HeadersTooLarge":
      return `The headers are larger than ${refusal.limitBytes} bytes.`
    case "UnsupportedMediaType":
      return `The body must be ${refusal.supported.join(" or ")}.`
    case "PasswordsBusy":
    case "Unavailable":
      return `The service is busy. Try again in ${refusal.retryAfterSeconds} seconds.`
  }
}

/** Headers that a refusal brings along. */
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
      return { connection: "close" } // the rest is not read, or nobody knows where it ends
    default:
      return {}
  }
}
