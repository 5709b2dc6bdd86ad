import { entities, type Forbidden, refusalText } from "@wcs/domain/access/Privilege"
import type { RateLimited } from "@wcs/domain/access/RateLimitTier"
import type { OutlivesMaker } from "@wcs/domain/access/TokenLifetime"
import type { TooManySelected } from "@wcs/domain/credential/OwnerChanges"
import type { LinkNotFound } from "@wcs/domain/crud/Links"
import type { AccountUnverified, OtherOrganization } from "@wcs/domain/legacy/LegacyAccess"
import type { NoSuchUser } from "@wcs/domain/legacy/LegacyAuthentication"
import type * as Ownership from "@wcs/domain/ownership/Ownership"
import type { PreconditionFailed } from "@wcs/domain/resource/Precondition"
import type { CollectionFull, DuplicateId, ResourceNotFound } from "@wcs/domain/resource/Resource"
import type { CheckDisabled } from "@wcs/domain/screening/ComplianceEvaluation"
import type { ItemBroken } from "@wcs/domain/screening/FetchRequests"
import type { InvitationClosed } from "@wcs/domain/screening/Invitation"
import type { PackageInactive } from "@wcs/domain/screening/RecruitmentChecks"
import type { PositionUnknown } from "@wcs/domain/service/Changes"
import type { NotASession } from "@wcs/domain/session/StepUp"
import { formOfId } from "@wcs/domain/shared/Id"
import { toRfc3339 } from "@wcs/domain/shared/Instant"
import type { InvalidArgument, InvalidUrn, MalformedBody } from "@wcs/domain/shared/InvalidArgument"
import type { Fault } from "@wcs/domain/shared/SchemaFaults"
import type { BreakGlassMissing } from "@wcs/domain/single-sign-on/IdentityProviders"
import type { EmailTaken } from "@wcs/domain/token/AccessStore"
import type { NotAUser } from "@wcs/domain/token/Issued"
import type { MakerEnded } from "@wcs/domain/token/Lineage"
import type { PasswordsBusy } from "@wcs/domain/user/Passwords"
import type { LastSuperAdmin, NotInviter } from "@wcs/domain/user/UserRights"
import type { AlreadyJoined } from "@wcs/domain/user/Users"
import type { NoReviewWaiting, NotVerifiable, TooManyWaiting } from "@wcs/domain/verification/Verifications"
import type { DeliveryNotFound, WebhookInactive } from "@wcs/domain/webhook/Deliveries"
import type { SecretsFull } from "@wcs/domain/webhook/WebhookSecret"
import { Match } from "effect"
import type { HttpRefusal, UnsupportedMediaType } from "./HttpRefusal.ts"

/** Every reason to refuse a call. */
export type Refusal =
  | InvalidArgument
  | InvalidUrn
  | MalformedBody
  | Forbidden
  | ResourceNotFound
  | DuplicateId
  | CollectionFull
  | PreconditionFailed
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
  | NotInviter
  | LastSuperAdmin
  | NotASession
  | AccountUnverified
  | OtherOrganization
  | NoSuchUser
  | PositionUnknown
  | PasswordsBusy
  | RateLimited
  | HttpRefusal

const seconds = (count: number): string => `${count} ${count === 1 ? "second" : "seconds"}`

const alreadyLinkedText = ({ advice, holder, slot }: Ownership.AlreadyLinked): string => {
  switch (advice) {
    case "transfer":
      return `The ${slot} slot holds ${holder}. Use transfer to change the owner.`
    case "unlink first":
      return `The ${slot} slot holds ${holder}. Unlink that owner first.`
  }
}

const duplicateIdText = ({ entityType, id }: DuplicateId): string => {
  const { plural } = entities[entityType]
  return `${id} already exists or was used before among the ${plural}. Ids cannot be reused: choose another.`
}

const linkNotFoundText = ({ entityType, field, found }: LinkNotFound): string => {
  const { plural } = entities[entityType]
  return found === "none"
    ? `${field} was not found among the ${plural}.`
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
    : `The status is ${status}, which is final. Create a new item instead.`
}

const mediaTypeText = ({ part, supported }: UnsupportedMediaType): string => {
  switch (part) {
    case "type":
      return `The Content-Type must be ${supported.join(" or ")}.`
    case "coding":
      return "The body must not be compressed: send it without Content-Encoding."
    case "charset":
      return "The charset of the body must be UTF-8."
  }
}

const busyText = ({ retryAfterSeconds }: { readonly retryAfterSeconds: number }): string =>
  `The service is busy. Try again in ${seconds(retryAfterSeconds)}.`

/** The message of a refusal. Messages may change between releases (§9); codes do not. */
export const textOf: (refusal: Refusal) => string = Match.typeTags<Refusal, string>()({
  InvalidArgument: invalidText,
  InvalidUrn: ({ field }) => `${field} must be a URN of the form urn:wcs:ban:<register>:<key>.`,
  MalformedBody: ({ reason }) => `The body ${reason}.`,
  Forbidden: refusalText,
  ResourceNotFound: ({ entityType, id }) => `${id} was not found among the ${entities[entityType].plural}.`,
  DuplicateId: duplicateIdText,
  CollectionFull: ({ entityType, most }) =>
    `The limit of ${most} ${entities[entityType].plural} is reached. Delete one first.`,
  PreconditionFailed: ({ current }) =>
    `The resource was changed: its ETag is ${current}. Read the resource again before you change it.`,
  LinkNotFound: linkNotFoundText,
  CheckDisabled: ({ code }) => `The compliance check ${code} is disabled. Enable the check first.`,
  PackageInactive: ({ code }) => `screeningPackageCode: the screening package ${code} is inactive. Use an active one.`,
  InvitationClosed: invitationClosedText,
  ItemBroken: () => "Internal error. Check whether the item was created before you retry.",
  NotVerifiable: ({ credentialType }) =>
    `Credentials of type ${credentialType} cannot be verified: no register covers this type.`,
  TooManyWaiting: ({ credentialId, limit }) =>
    `${limit} verifications of ${credentialId} are already pending. Wait for a verdict before you retry.`,
  NoReviewWaiting: ({ credentialId }) => `No review of ${credentialId} is waiting for a decision.`,
  DeliveryNotFound: ({ deliveryId }) => `The webhook has no delivery ${deliveryId}.`,
  WebhookInactive: ({ webhookId }) => `The webhook ${webhookId} is disabled. Enable the webhook first.`,
  SecretsFull: ({ max, until }) =>
    `The webhook has ${max} valid signing secrets, the maximum. The next rotation is possible after ${toRfc3339(until)}.`,
  BreakGlassMissing: () =>
    "required: set up a password and a second factor as a Super Admin before you require single sign-on.",
  CredentialNotFound: ({ credentialId }) => `${credentialId} was not found among the credentials.`,
  MalformedCredentialId: ({ credentialId }) =>
    `credentialIds: ${credentialId.slice(0, 100)} must be ${formOfId("credential")}.`,
  AlreadyLinked: alreadyLinkedText,
  OwnerMismatch: ({ holder, slot }) =>
    `The given owner does not hold the ${slot} slot; current owner: ${holder ?? "none"}.`,
  LastOwner: ({ holder }) => `${holder} is the only remaining owner. Delete the credential instead.`,
  OwnerNotFound: ({ owner }) => `There is no ${owner.type} ${owner.id}.`,
  TooManySelected: ({ limit }) => `More than ${limit} credentials match. Send smaller batches in credentialIds.`,
  NotAUser: ({ account }) => `${account} is a service account. Only users can create access tokens and API clients.`,
  OutlivesMaker: ({ maxLifetimeSeconds }) =>
    `expiresInSeconds: a new token cannot outlive the token of this call. Use at most ${seconds(maxLifetimeSeconds)}, or omit the field.`,
  MakerEnded: () => "The token of this call has expired or was revoked. Nothing was created.",
  EmailTaken: ({ email }) => `email: the organization already has a user with ${email}.`,
  AlreadyJoined: ({ email }) =>
    `${email} has joined or is deactivated. Invite links are for active users who have not joined.`,
  NotInviter: ({ email }) =>
    `Another account invited ${email}. Only that account or a Super Admin can renew the invite link.`,
  LastSuperAdmin: () => "The user is the last active Super Admin. Make another user a Super Admin first.",
  NotASession: () => "This call needs a logged-in user. Tokens cannot create or change logins.",
  AccountUnverified: () => "The account is not verified. Ask the operator to verify the account.",
  OtherOrganization: () => "The requested record does not belong to your organization.",
  NoSuchUser: () => "The id in the path must be the id of the caller. GET /users/me returns the id.",
  PositionUnknown: () =>
    "after: the store does not know this position. Get a new one with after=now, then make a full copy.",
  RateLimited: ({ quota }) => `The rate limit is exceeded. Try again in ${seconds(quota.resetSeconds)}.`,
  InsecureTransport: () => "HTTPS is required.",
  MalformedRequest: ({ reason }) => `The request ${reason}.`,
  RequestTimeout: () => "The request did not arrive completely in time.",
  UnknownHost: () => "There is no tenant at this host.",
  UnknownPath: () => "There is nothing at this path.",
  MethodNotAllowed: ({ allowed }) => `Method not allowed. Allowed methods: ${allowed.join(", ")}.`,
  PayloadTooLarge: ({ limitBytes }) => `The body is larger than ${limitBytes} bytes.`,
  UriTooLong: ({ limitBytes }) => `The path and query are longer than ${limitBytes} bytes.`,
  HeadersTooLarge: ({ limitBytes }) => `The URL and the headers together are larger than ${limitBytes} bytes.`,
  UnsupportedMediaType: mediaTypeText,
  PasswordsBusy: busyText,
  Unavailable: busyText
})

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
    case "UnsupportedMediaType":
      return refusal.part === "coding" ? { "accept-encoding": "identity" } : {} // RFC 9110, section 15.5.16
    default:
      return {}
  }
}
