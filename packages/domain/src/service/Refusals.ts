import { Context, Layer } from "effect"
import { entities, type Forbidden, refusalText, type SuperAdminUnlimited } from "../access/Privilege.ts"
import type { RateLimited } from "../access/RateLimitTier.ts"
import type { OutlivesMaker } from "../access/TokenLifetime.ts"
import type { OwnAnswer } from "../answer/Answers.ts"
import type { TargetChanged } from "../answer/Approval.ts"
import type { OwnBan } from "../credential/Bans.ts"
import type { TooManySelected } from "../credential/OwnerChanges.ts"
import type { UnitTooLarge } from "../credential/Units.ts"
import type { LinkNotFound } from "../crud/Links.ts"
import type { DocumentNotFound, DocumentsFull } from "../document/Document.ts"
import type { ImportNotReady, ImportsBusy } from "../import/Import.ts"
import type { AccountUnverified, OtherOrganization } from "../legacy/LegacyAccess.ts"
import type { NoSuchUser } from "../legacy/LegacyAuthentication.ts"
import type { MergedAgain, MergeFinal, MergeNotFound, MergeTooLarge, MovedOn, TooManyBans } from "../merge/Merge.ts"
import type { MessageNotEnded } from "../message/Outbox.ts"
import type { NotAuthor, NoteNotFound, NotesFull } from "../note/Note.ts"
import type * as Ownership from "../ownership/Ownership.ts"
import { hiddenOwner, ownerTypes } from "../ownership/Ownership.ts"
import type { OwnerOutside } from "../people/Oversight.ts"
import { type Misplaced, type UnitInUse, unitLevels } from "../people/Unit.ts"
import type { ProofTooLarge } from "../proof/ProofSize.ts"
import type { PreconditionFailed } from "../resource/Precondition.ts"
import type { CollectionFull, DuplicateId, ResourceNotFound } from "../resource/Resource.ts"
import type { AnswerClosed } from "../screening/Answer.ts"
import type { CheckDisabled } from "../screening/ComplianceEvaluation.ts"
import type { ItemBroken } from "../screening/FetchRequests.ts"
import type { InvitationClosed } from "../screening/Invitation.ts"
import type { PackageInactive } from "../screening/RecruitmentChecks.ts"
import type { TaskTaken } from "../screening/Tasks.ts"
import type { RequirementChanged } from "../second-factor/FactorRequirements.ts"
import type { NotASession } from "../session/StepUp.ts"
import * as ErrorCode from "../shared/ErrorCode.ts"
import { idFormat } from "../shared/Id.ts"
import { toRfc3339 } from "../shared/Instant.ts"
import type { InvalidArgument, InvalidUrn, MalformedBody } from "../shared/InvalidArgument.ts"
import type { Fault } from "../shared/SchemaFaults.ts"
import type { BreakGlassMissing } from "../single-sign-on/IdentityProviders.ts"
import type { EmailTaken } from "../token/AccessStore.ts"
import type { NotAUser } from "../token/Issued.ts"
import type { MakerEnded } from "../token/Lineage.ts"
import type { PasswordsBusy } from "../user/Passwords.ts"
import type { LastSuperAdmin, NotInviter, OwnWorker } from "../user/UserRights.ts"
import type { AlreadyJoined } from "../user/Users.ts"
import type { NotDecidable } from "../verification/Decisions.ts"
import type { OwnCard } from "../verification/OwnCard.ts"
import type { NoReviewWaiting, NotVerifiable, TooManyWaiting } from "../verification/Verifications.ts"
import type { DeliveryNotFound, WebhookInactive } from "../webhook/Deliveries.ts"
import type { SecretsFull } from "../webhook/WebhookSecret.ts"
import type { PositionUnknown } from "./Changes.ts"
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
  | TargetChanged
  | LinkNotFound
  | CheckDisabled
  | PackageInactive
  | InvitationClosed
  | ImportNotReady
  | ImportsBusy
  | MergeNotFound
  | MergeTooLarge
  | TooManyBans
  | MergeFinal
  | MovedOn
  | MergedAgain
  | ItemBroken
  | NotVerifiable
  | TooManyWaiting
  | NoReviewWaiting
  | NotDecidable
  | OwnCard
  | OwnerOutside
  | ProofTooLarge
  | OwnBan
  | TaskTaken
  | RequirementChanged
  | MessageNotEnded
  | NoteNotFound
  | NotAuthor
  | NotesFull
  | AnswerClosed
  | OwnAnswer
  | DocumentNotFound
  | DocumentsFull
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
  | OwnWorker
  | SuperAdminUnlimited
  | Misplaced
  | UnitInUse
  | UnitTooLarge
  | NotASession
  | AccountUnverified
  | OtherOrganization
  | NoSuchUser
  | PositionUnknown
  | PasswordsBusy
  | RateLimited
  | HttpRefusal

const documentsFullText = ({ limit, most }: DocumentsFull): string => {
  switch (limit) {
    case "record":
      return `The record has ${most} documents, which is the most. Delete one first.`
    case "tenant":
      return `The organization has ${most} documents, which is the most. Delete documents first.`
    case "bytes":
      return `The documents of the organization may have ${most} bytes, and this one is too large for the rest. Delete documents first.`
  }
}

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

const notDecidableText = ({ about, outcomes, subjectId, until }: NotDecidable): string =>
  until === null
    ? `${subjectId} leaves no question that a decision can answer. A review that waits is answered by review.`
    : `The decision about ${about.join(" and ")} of ${subjectId} can be ${outcomes.join(" or ")}. endsOn must be from today to ${until}.`

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

/** A row of the table of refusals. The code has the status, and what a program may do. */
interface Row<E> {
  readonly code: Exclude<ErrorCode.ErrorCode, "UNPROCESSABLE">
  /** The message. Messages may change between releases (§9); codes do not. */
  readonly text: (refusal: E) => string
}

/** A broken business rule. One code stands for all of them, so each says when it is broken, and has its own advice. */
interface BusinessRule<E> extends Omit<Row<E>, "code"> {
  readonly code: "UNPROCESSABLE"
  readonly when: string
  readonly remedy: string
}

type RowOf<E> = Row<E> | BusinessRule<E>

/** Each refusal by its tag: its code and its message (§7.1). */
export const refusals = {
  InvalidArgument: { code: "INVALID_ARGUMENT", text: invalidText },
  MalformedCredentialId: {
    code: "INVALID_ARGUMENT",
    text: ({ credentialId }) => `credentialIds: ${credentialId.slice(0, 100)} must be ${idFormat("credential")}.`
  },
  MalformedBody: { code: "BAD_REQUEST", text: ({ reason }) => `The body ${reason}.` },
  MalformedRequest: { code: "BAD_REQUEST", text: ({ reason }) => `The request ${reason}.` },
  InsecureTransport: { code: "BAD_REQUEST", text: () => "HTTPS is required." },
  InvalidUrn: {
    code: "INVALID_URN",
    text: ({ field }) => `${field} must be a URN of the form urn:wcs:ban:<register>:<key>.`
  },
  Forbidden: { code: "FORBIDDEN", text: refusalText },
  NotInviter: {
    code: "FORBIDDEN",
    text: ({ email }) =>
      `Another account invited ${email}. Only that account or a Super Admin can renew the invite link.`
  },
  AccountUnverified: {
    code: "FORBIDDEN",
    text: () => "The account is not verified. Ask the operator to verify the account."
  },
  OtherOrganization: { code: "FORBIDDEN", text: () => "The requested record does not belong to your organization." },
  ResourceNotFound: {
    code: "NOT_FOUND",
    text: ({ entityType, id, mergedInto }) =>
      mergedInto === undefined
        ? `${id} was not found among the ${entities[entityType].plural}.`
        : `${id} was merged into ${mergedInto}: use that id.`
  },
  CredentialNotFound: {
    code: "NOT_FOUND",
    text: ({ credentialId }) => `${credentialId} was not found among the credentials.`
  },
  MergeNotFound: { code: "NOT_FOUND", text: ({ mergeId }) => `There is no merge ${mergeId}.` },
  NoteNotFound: { code: "NOT_FOUND", text: ({ noteId }) => `There is no note ${noteId}.` },
  NotAuthor: {
    code: "FORBIDDEN",
    text: ({ noteId }) => `Another user wrote ${noteId}. Only the author or a Super Admin can delete a note.`
  },
  DocumentNotFound: { code: "NOT_FOUND", text: ({ documentId }) => `The record has no document ${documentId}.` },
  DeliveryNotFound: { code: "NOT_FOUND", text: ({ deliveryId }) => `The webhook has no delivery ${deliveryId}.` },
  UnknownHost: { code: "NOT_FOUND", text: () => "There is no tenant at this host." },
  UnknownPath: { code: "NOT_FOUND", text: () => "There is nothing at this path." },
  NoSuchUser: {
    code: "NOT_FOUND",
    text: () => "The id in the path must be the id of the caller. GET /users/me returns the id."
  },
  AlreadyLinked: { code: "ALREADY_LINKED", text: alreadyLinkedText },
  OwnerMismatch: {
    code: "OWNER_MISMATCH",
    text: ({ holder, slot }) => `The given owner does not hold the ${slot} slot; current owner: ${holder ?? "none"}.`
  },
  DuplicateId: { code: "DUPLICATE_ID", text: duplicateIdText },
  LastOwner: {
    code: "UNPROCESSABLE",
    when: "The credential would lose its only owner.",
    remedy: "Link another owner first, or delete the credential.",
    text: ({ holder }) => `${holder} is the only remaining owner. Delete the credential instead.`
  },
  OwnerNotFound: {
    code: "UNPROCESSABLE",
    when: "The new owner does not exist or is deleted.",
    remedy: `Create the ${ownerTypes.join(" or ")} first.`,
    text: ({ owner }) => `There is no ${owner.type} ${owner.id}.`
  },
  LinkNotFound: {
    code: "UNPROCESSABLE",
    when: "A record that the body refers to does not exist or is deleted, or several have the `externalId`.",
    remedy: "Correct the reference. If several records have the `externalId`, send the id.",
    text: linkNotFoundText
  },
  TooManySelected: {
    code: "UNPROCESSABLE",
    when: "A bulk call without `credentialIds` selects more credentials than one call may change.",
    remedy: "Send batches of ids in `credentialIds`.",
    text: ({ limit }) => `More than ${limit} credentials match. Send smaller batches in credentialIds.`
  },
  CollectionFull: {
    code: "UNPROCESSABLE",
    when: "The maximum number of webhooks, identity providers, verification sources, imports, API clients, tokens or users is reached.",
    remedy: "Delete one first, or ask the operator for a higher limit.",
    text: ({ entityType, most }) => `The limit of ${most} ${entities[entityType].plural} is reached. Delete one first.`
  },
  NotesFull: {
    code: "UNPROCESSABLE",
    when: "The record has as many notes as it may have.",
    remedy: "Delete notes first.",
    text: ({ most }) => `The record has ${most} notes, which is the most. Delete notes first.`
  },
  DocumentsFull: {
    code: "UNPROCESSABLE",
    when: "The record or the organization has as many documents, or as many bytes of documents, as it may have.",
    remedy: "Delete documents first, or ask the operator for a higher limit.",
    text: documentsFullText
  },
  CheckDisabled: {
    code: "UNPROCESSABLE",
    when: "The compliance check is disabled.",
    remedy: "Set `enabled` of the compliance check to true.",
    text: ({ code }) => `The compliance check ${code} is disabled. Enable the check first.`
  },
  PackageInactive: {
    code: "UNPROCESSABLE",
    when: "The screening package is inactive.",
    remedy: "Use an active package, or set `active` of the package to true.",
    text: ({ code }) => `screeningPackageCode: the screening package ${code} is inactive. Use an active one.`
  },
  InvitationClosed: {
    code: "UNPROCESSABLE",
    when: "The status of the recruitment check or fetch request does not allow the action.",
    remedy: "If the status is `EXPIRED`, use `resend`. Other statuses are final: create a new item.",
    text: invitationClosedText
  },
  ImportNotReady: {
    code: "UNPROCESSABLE",
    when: "The status of the import does not allow the action.",
    remedy: "Read the import. While work goes on, wait for its end.",
    text: ({ action, status }) => `The status of the import is ${status}, which does not allow to ${action} it.`
  },
  ImportsBusy: {
    code: "UNPROCESSABLE",
    when: "Another import of the tenant is running or is being undone.",
    remedy: "Read the other import. Run or undo this one when the work on the other one has ended.",
    text: ({ otherId }) =>
      `The import ${otherId} is still at work. Two imports at once could change the same workers. Wait for its end.`
  },
  MergeTooLarge: {
    code: "UNPROCESSABLE",
    when: "The worker in `from` has more rows than one merge moves.",
    remedy: "Transfer its credentials first, in batches.",
    text: ({ limit, workerId }) =>
      `${workerId} has more than ${limit} credentials, exemptions, bans and fetch requests. Transfer credentials first.`
  },
  TooManyBans: {
    code: "UNPROCESSABLE",
    when: "Both workers of a merge together have more bans than a check reads.",
    remedy: "Keep both workers, and dismiss the pair.",
    text: ({ limit, workerIds }) =>
      `${workerIds.join(" and ")} together have more than ${limit} bans. A check reads no more of one worker, so the merge ` +
      "could hide one."
  },
  MergeFinal: {
    code: "UNPROCESSABLE",
    when: "The merge is older than 30 days, or the person was erased.",
    remedy: "Create a worker and transfer its credentials instead.",
    text: ({ mergeId, why }) =>
      why === "EXPIRED"
        ? `${mergeId} is older than 30 days and cannot be undone.`
        : `The person of ${mergeId} was erased. Nothing can be undone.`
  },
  MergedAgain: {
    code: "UNPROCESSABLE",
    when: "The worker of the merge was itself merged into another one.",
    remedy: "Undo that merge first.",
    text: ({ intoId, mergeId, workerId }) =>
      `${mergeId} cannot be undone yet: ${workerId} was merged into ${intoId}. Undo that merge first.`
  },
  MovedOn: {
    code: "UNPROCESSABLE",
    when: "Something that the merge moved belongs to somebody else now.",
    remedy: "Give the rows in the message back to the worker of the merge, or leave the merge as it is.",
    text: ({ hidden, ids, mergeId }) => {
      const further = ids.length - 10 + hidden
      const named = ids.length === 0 ? [`${hidden} ${hidden === 1 ? "row" : "rows"}`] : ids.slice(0, 10)
      const isMore = ids.length > 0 && (ids.length > 10 || hidden > 0)
      const others = isMore ? ` and ${ids.length > 10 ? further : hidden} more` : ""
      const isOne = ids.length + hidden === 1
      return (
        `${mergeId} cannot be undone: ${named.join(", ")}${others} ` +
        `${isOne ? "does" : "do"} not belong to the worker of the merge any more.`
      )
    }
  },
  NotVerifiable: {
    code: "UNPROCESSABLE",
    when: "No register covers the type of the credential.",
    remedy: "Verify only types that are `verifiable` in `GET /credential-types`.",
    text: ({ credentialType }) =>
      `Credentials of type ${credentialType} cannot be verified: no register covers this type.`
  },
  TooManyWaiting: {
    code: "UNPROCESSABLE",
    when: "The credential has the maximum number of pending verifications.",
    remedy: "Wait for a verdict before you retry.",
    text: ({ credentialId, limit }) =>
      `${limit} verifications of ${credentialId} are already pending. Wait for a verdict before you retry.`
  },
  NoReviewWaiting: {
    code: "UNPROCESSABLE",
    when: "The credential does not wait for a manual review.",
    remedy: "Read the credential: somebody may have decided already.",
    text: ({ credentialId }) => `No review of ${credentialId} is waiting for a decision.`
  },
  NotDecidable: {
    code: "UNPROCESSABLE",
    when: "The credential or ban leaves no question to a person, or not with this outcome or end.",
    remedy: "Read the credential or ban. A review that waits (`QUEUED_MANUAL`) is answered by `review`.",
    text: notDecidableText
  },
  OwnCard: {
    code: "UNPROCESSABLE",
    when: "The user is the worker that holds the credential, and would verify it or decide on it.",
    remedy: "Ask another user. Nobody verifies themself.",
    text: ({ credentialId }) =>
      `${credentialId} is held by the worker of this user. Nobody verifies themself: ask another user.`
  },
  OwnerOutside: {
    code: "UNPROCESSABLE",
    when: "The credential has an owner outside the caller's units, and the call would change the card of that owner, too, or reach its documents.",
    remedy: "Ask a user who reaches each owner.",
    text: ({ credentialId }) => `${credentialId} has ${hiddenOwner}. Ask a user who reaches each owner.`
  },
  ProofTooLarge: {
    code: "UNPROCESSABLE",
    when: "The records of a proof have more seals than fit in one file.",
    remedy: "Ask for an earlier `asOf`, or export the audit log.",
    text: ({ limit, seals, workerId }) =>
      `The proof of ${workerId} would have ${seals} seals of the audit log, and fits at most ${limit}. Ask for an earlier ` +
      "asOf, or export the audit log."
  },
  OwnBan: {
    code: "UNPROCESSABLE",
    when: "The user is the worker that the record is about, and would decide about it.",
    remedy: "Ask another user. Nobody decides about themself.",
    text: ({ banId }) => `${banId} is about the worker of this user. Nobody decides about themself: ask another user.`
  },
  MessageNotEnded: {
    code: "UNPROCESSABLE",
    when: "The message waits for an attempt, is being sent, or was accepted.",
    remedy: "Read the message. Nothing needs to be done.",
    text: ({ id, state }) => `Message ${id} cannot be sent again, because it is ${state}.`
  },
  RequirementChanged: {
    code: "UNPROCESSABLE",
    when: "Second factors are required from another day than the call names as `previous`.",
    remedy: "Read the requirement, and decide again.",
    text: ({ from }) =>
      `Second factors are ${from === null ? "not required" : `required from ${from}`} now. Nothing was changed.`
  },
  AnswerClosed: {
    code: "UNPROCESSABLE",
    when: "The answer was decided before, or its approval is not finished.",
    remedy: "Read the answer. An approval that is not finished can be repeated.",
    text: ({ action, state }) => `The answer is ${state}, so ${action} is refused.`
  },
  OwnAnswer: {
    code: "UNPROCESSABLE",
    when: "The user is the worker who answered.",
    remedy: "Ask another user. Nobody decides on the own answer.",
    text: ({ answerId }) => `${answerId} is the answer of the worker of this user: ask another user.`
  },
  TaskTaken: {
    code: "UNPROCESSABLE",
    when: "The task has another owner than the call names as `previous`.",
    remedy: "Read the task, and ask its owner.",
    text: ({ ownerId, taskId }) =>
      ownerId === null ? `Nobody owns ${taskId} any more.` : `${ownerId} owns ${taskId} now. Nothing was changed.`
  },
  WebhookInactive: {
    code: "UNPROCESSABLE",
    when: "The webhook is disabled.",
    remedy: "Enable the webhook first.",
    text: ({ webhookId }) => `The webhook ${webhookId} is disabled. Enable the webhook first.`
  },
  SecretsFull: {
    code: "UNPROCESSABLE",
    when: "The webhook has the maximum number of valid signing secrets.",
    remedy: "Rotate again after the time in the message.",
    text: ({ max, until }) =>
      `The webhook has ${max} valid signing secrets, the maximum. The next rotation is possible after ${toRfc3339(until)}.`
  },
  BreakGlassMissing: {
    code: "UNPROCESSABLE",
    when: "Single sign-on would be required, and the caller could not log in without the provider.",
    remedy: "Set up a password and a second factor as a Super Admin first.",
    text: () => "required: set up a password and a second factor as a Super Admin before you require single sign-on."
  },
  NotAUser: {
    code: "UNPROCESSABLE",
    when: "A service account cannot create tokens or API clients.",
    remedy: "Use a token of a user.",
    text: ({ account }) => `${account} is a service account. Only users can create access tokens and API clients.`
  },
  OutlivesMaker: {
    code: "UNPROCESSABLE",
    when: "The new token would outlive the token of the call.",
    remedy: "Send a smaller `expiresInSeconds`, or omit the field.",
    text: ({ maxLifetimeSeconds }) =>
      `expiresInSeconds: a new token cannot outlive the token of this call. Use at most ${seconds(maxLifetimeSeconds)}, or omit the field.`
  },
  MakerEnded: {
    code: "UNPROCESSABLE",
    when: "The token of the call ended during the call. Nothing was created.",
    remedy: "Repeat the call with a new token.",
    text: () => "The token of this call has expired or was revoked. Nothing was created."
  },
  EmailTaken: {
    code: "UNPROCESSABLE",
    when: "The organization already has a user with this email.",
    remedy: "Change that user, or send another email.",
    text: ({ email }) => `email: the organization already has a user with ${email}.`
  },
  AlreadyJoined: {
    code: "UNPROCESSABLE",
    when: "The user has joined or is deactivated, so the user needs no invite link.",
    remedy: "Activate a deactivated user. Other users can log in. An operator can set a new password.",
    text: ({ email }) => `${email} has joined or is deactivated. Invite links are for active users who have not joined.`
  },
  LastSuperAdmin: {
    code: "UNPROCESSABLE",
    when: "The user is the last active Super Admin.",
    remedy: "Make another user a Super Admin first.",
    text: () => "The user is the last active Super Admin. Make another user a Super Admin first."
  },
  SuperAdminUnlimited: {
    code: "UNPROCESSABLE",
    when: "A limit to units would be set for a Super Admin.",
    remedy: "Give the user another role first, or remove the limit in the same call.",
    text: () => "A Super Admin reaches all people and cannot be limited to units."
  },
  Misplaced: {
    code: "UNPROCESSABLE",
    when: "A unit would be below itself, or on a level that the tree of units does not have.",
    remedy: "Choose another `parent`.",
    text: ({ why }) =>
      why === "below itself"
        ? "parent: a unit cannot be below itself."
        : `parent: the tree of units has at most ${unitLevels} levels, and this unit or one below it would be deeper.`
  },
  UnitInUse: {
    code: "UNPROCESSABLE",
    when: "A unit would be deleted that has people or other units.",
    remedy: "Name another unit in `moveTo`.",
    text: ({ id }) => `${id} has people or units. Name a unit in moveTo that gets them.`
  },
  UnitTooLarge: {
    code: "UNPROCESSABLE",
    when: "A unit would be deleted from which one call cannot move all people.",
    remedy: "Send the same request again until the unit is deleted. Each one moves a part of the people.",
    text: ({ id, left, moved }) => `${moved} people of ${id} were moved, and ${left} are left. Send the request again.`
  },
  OwnWorker: {
    code: "UNPROCESSABLE",
    when: "The user would change or remove the own link to a worker.",
    remedy: "Ask another administrator.",
    text: ({ workerId }) => `worker: this user is linked to ${workerId}. Ask another administrator to change the link.`
  },
  NotASession: {
    code: "UNPROCESSABLE",
    when: "The operation creates or changes logins, and the call has a token.",
    remedy: "Log in, and call with the session cookie. The console does this.",
    text: () => "This call needs a logged-in user. Tokens cannot create or change logins."
  },
  RateLimited: {
    code: "TOO_MANY_REQUESTS",
    text: ({ quota }) => `The rate limit is exceeded. Try again in ${seconds(quota.resetSeconds)}.`
  },
  ItemBroken: { code: "INTERNAL", text: () => "Internal error. Check whether the item was created before you retry." },
  MethodNotAllowed: {
    code: "METHOD_NOT_ALLOWED",
    text: ({ allowed }) => `Method not allowed. Allowed methods: ${allowed.join(", ")}.`
  },
  RequestTimeout: {
    code: "REQUEST_TIMEOUT",
    text: ({ bodyMillis, headersMillis, uploadMillis }) =>
      `The request did not arrive in time: ${seconds(headersMillis / 1000)} for headers, ${seconds(bodyMillis / 1000)} for a body, ${seconds(uploadMillis / 1000)} for an uploaded file. Use a faster connection.`
  },
  PositionUnknown: {
    code: "POSITION_UNKNOWN",
    text: () => "after: the store does not know this position. Get a new one with after=now, then make a full copy."
  },
  PreconditionFailed: {
    code: "PRECONDITION_FAILED",
    text: ({ current }) =>
      `The resource was changed: its ETag is ${current}. Read the resource again before you change it.`
  },
  TargetChanged: {
    code: "PRECONDITION_FAILED",
    text: ({ credentialType }) =>
      credentialType === undefined
        ? "The answer has other files than those that you have read. Read its files again before you approve it."
        : `The recorded card of type ${credentialType} was changed since you read the answer. Read the answer again before you approve it.`
  },
  PayloadTooLarge: {
    code: "PAYLOAD_TOO_LARGE",
    text: ({ limitBytes }) => `The body is larger than ${limitBytes} bytes.`
  },
  UriTooLong: {
    code: "URI_TOO_LONG",
    text: ({ limitBytes }) => `The path and query are longer than ${limitBytes} bytes.`
  },
  UnsupportedMediaType: { code: "UNSUPPORTED_MEDIA_TYPE", text: mediaTypeText },
  HeadersTooLarge: {
    code: "HEADERS_TOO_LARGE",
    text: ({ limitBytes }) => `The URL and the headers together are larger than ${limitBytes} bytes.`
  },
  Unavailable: { code: "UNAVAILABLE", text: busyText },
  PasswordsBusy: { code: "UNAVAILABLE", text: busyText }
} as const satisfies { readonly [Tag in Refusal["_tag"]]: RowOf<Extract<Refusal, { readonly _tag: Tag }>> }

const rows: { readonly [Tag in Refusal["_tag"]]: RowOf<never> } = refusals

/** The business rules, for the API reference. */
export const businessRules = Object.values(rows).filter((row) => row.code === "UNPROCESSABLE")

/** Returns the code of a refusal. */
export const codeOf = (tag: Refusal["_tag"]): ErrorCode.ErrorCode => rows[tag].code

/** Returns the message of a refusal. */
export const textOf = (refusal: Refusal): string => rows[refusal._tag].text(refusal as never)

/** The codes and their statuses as a service, so that tests and deployments can replace one rule. */
export class ErrorCodes extends Context.Service<
  ErrorCodes,
  { readonly codeOf: typeof codeOf; readonly statusOf: typeof ErrorCode.statusOf }
>()("@wcs/domain/ErrorCode") {}

export const layer = Layer.succeed(ErrorCodes, ErrorCodes.of({ codeOf, statusOf: ErrorCode.statusOf }))
