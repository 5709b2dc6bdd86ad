import { assert, describe, it } from "@effect/vitest"
import { Forbidden, SuperAdminUnlimited } from "@wcs/domain/access/Privilege"
import { RateLimited } from "@wcs/domain/access/RateLimitTier"
import { OutlivesMaker } from "@wcs/domain/access/TokenLifetime"
import { OwnAnswer } from "@wcs/domain/answer/Answers"
import { TargetChanged } from "@wcs/domain/answer/Approval"
import { OwnBan } from "@wcs/domain/credential/Bans"
import { TooManySelected } from "@wcs/domain/credential/OwnerChanges"
import { UnitTooLarge } from "@wcs/domain/credential/Units"
import { LinkNotFound } from "@wcs/domain/crud/Links"
import { DocumentNotFound, DocumentsFull } from "@wcs/domain/document/Document"
import { ImportNotReady, ImportsBusy } from "@wcs/domain/import/Import"
import { AccountUnverified, OtherOrganization } from "@wcs/domain/legacy/LegacyAccess"
import { NoSuchUser } from "@wcs/domain/legacy/LegacyAuthentication"
import { MergedAgain, MergeFinal, MergeNotFound, MergeTooLarge, MovedOn, TooManyBans } from "@wcs/domain/merge/Merge"
import { MessageNotEnded } from "@wcs/domain/message/Outbox"
import { NotAuthor, NoteNotFound, NotesFull } from "@wcs/domain/note/Note"
import * as Ownership from "@wcs/domain/ownership/Ownership"
import { OwnerOutside } from "@wcs/domain/people/Oversight"
import { Misplaced, UnitInUse } from "@wcs/domain/people/Unit"
import { ProofTooLarge } from "@wcs/domain/proof/ProofSize"
import { PreconditionFailed } from "@wcs/domain/resource/Precondition"
import { CollectionFull, DuplicateId, ResourceNotFound } from "@wcs/domain/resource/Resource"
import { AnswerClosed } from "@wcs/domain/screening/Answer"
import { CheckDisabled } from "@wcs/domain/screening/ComplianceEvaluation"
import { ItemBroken } from "@wcs/domain/screening/FetchRequests"
import { InvitationClosed } from "@wcs/domain/screening/Invitation"
import { PackageInactive } from "@wcs/domain/screening/RecruitmentChecks"
import { TaskTaken } from "@wcs/domain/screening/Tasks"
import { RequirementChanged } from "@wcs/domain/second-factor/FactorRequirements"
import { PositionUnknown } from "@wcs/domain/service/Changes"
import * as HttpRefusal from "@wcs/domain/service/HttpRefusal"
import { codeOf, type Refusal, textOf } from "@wcs/domain/service/Refusals"
import { NotASession } from "@wcs/domain/session/StepUp"
import { type ErrorCode, errorCodes, statusOf } from "@wcs/domain/shared/ErrorCode"
import { InvalidArgument, InvalidUrn, MalformedBody } from "@wcs/domain/shared/InvalidArgument"
import { BreakGlassMissing } from "@wcs/domain/single-sign-on/IdentityProviders"
import { EmailTaken } from "@wcs/domain/token/AccessStore"
import { NotAUser } from "@wcs/domain/token/Issued"
import { MakerEnded } from "@wcs/domain/token/Lineage"
import { PasswordsBusy } from "@wcs/domain/user/Passwords"
import { LastSuperAdmin, NotInviter, OwnWorker } from "@wcs/domain/user/UserRights"
import { AlreadyJoined } from "@wcs/domain/user/Users"
import { NotDecidable } from "@wcs/domain/verification/Decisions"
import { OwnCard } from "@wcs/domain/verification/OwnCard"
import { NoReviewWaiting, NotVerifiable, TooManyWaiting } from "@wcs/domain/verification/Verifications"
import { DeliveryNotFound, WebhookInactive } from "@wcs/domain/webhook/Deliveries"
import { SecretsFull } from "@wcs/domain/webhook/WebhookSecret"

type OneOf<Tag extends Refusal["_tag"]> = Extract<Refusal, { readonly _tag: Tag }>

const quota = { limit: 600, remaining: 0, resetSeconds: 17, exceeded: true }

/** Each refusal with its status and code (§7.1; DECISIONS.md#resources). */
const table: { readonly [Tag in Refusal["_tag"]]: readonly [OneOf<Tag>, `${number} ${ErrorCode}`] } = {
  InvalidArgument: [
    new InvalidArgument({ field: "identity.displayName", reason: "is required" }),
    "400 INVALID_ARGUMENT"
  ],
  MalformedCredentialId: [new Ownership.MalformedCredentialId({ credentialId: "nonsense" }), "400 INVALID_ARGUMENT"],
  MalformedBody: [new MalformedBody({ reason: "is not valid JSON" }), "400 BAD_REQUEST"],
  ItemBroken: [new ItemBroken(), "500 INTERNAL"],
  NotAUser: [new NotAUser({ account: "urn:wcs:account:acc_1" }), "422 UNPROCESSABLE"],
  OutlivesMaker: [new OutlivesMaker({ maxLifetimeSeconds: 60 }), "422 UNPROCESSABLE"],
  MakerEnded: [new MakerEnded(), "422 UNPROCESSABLE"],
  EmailTaken: [new EmailTaken({ email: "ann@example.org" }), "422 UNPROCESSABLE"],
  AlreadyJoined: [new AlreadyJoined({ email: "ann@example.org" }), "422 UNPROCESSABLE"],
  NotInviter: [new NotInviter({ email: "ann@example.org" }), "403 FORBIDDEN"],
  LastSuperAdmin: [new LastSuperAdmin(), "422 UNPROCESSABLE"],
  SuperAdminUnlimited: [new SuperAdminUnlimited(), "422 UNPROCESSABLE"],
  Misplaced: [new Misplaced({ why: "too deep" }), "422 UNPROCESSABLE"],
  UnitInUse: [new UnitInUse({ id: "unit_1" }), "422 UNPROCESSABLE"],
  UnitTooLarge: [new UnitTooLarge({ id: "unit_1", moved: 7, left: 9 }), "422 UNPROCESSABLE"],
  OwnWorker: [new OwnWorker({ workerId: "wkr_1" }), "422 UNPROCESSABLE"],
  NotASession: [new NotASession(), "422 UNPROCESSABLE"],
  InsecureTransport: [new HttpRefusal.InsecureTransport(), "400 BAD_REQUEST"],
  MalformedRequest: [new HttpRefusal.MalformedRequest({ reason: "is not valid HTTP" }), "400 BAD_REQUEST"],
  RequestTimeout: [
    new HttpRefusal.RequestTimeout({ headersMillis: 15_000, bodyMillis: 60_000, uploadMillis: 600_000 }),
    "408 REQUEST_TIMEOUT"
  ],
  HeadersTooLarge: [new HttpRefusal.HeadersTooLarge({ limitBytes: 16384 }), "431 HEADERS_TOO_LARGE"],
  InvalidUrn: [new InvalidUrn({ field: "id" }), "400 INVALID_URN"],
  Forbidden: [
    new Forbidden({ account: "urn:wcs:account:acc_1", operation: "UPDATE", entityType: "credential" }),
    "403 FORBIDDEN"
  ],
  ResourceNotFound: [new ResourceNotFound({ entityType: "worker", id: "wkr_1" }), "404 NOT_FOUND"],
  CredentialNotFound: [new Ownership.CredentialNotFound({ credentialId: "cred_1" }), "404 NOT_FOUND"],
  AccountUnverified: [new AccountUnverified(), "403 FORBIDDEN"],
  OtherOrganization: [new OtherOrganization(), "403 FORBIDDEN"],
  NoSuchUser: [new NoSuchUser(), "404 NOT_FOUND"],
  PositionUnknown: [new PositionUnknown(), "410 POSITION_UNKNOWN"],
  PasswordsBusy: [new PasswordsBusy({ retryAfterSeconds: 1 }), "503 UNAVAILABLE"],
  UnknownHost: [new HttpRefusal.UnknownHost(), "404 NOT_FOUND"],
  UnknownPath: [new HttpRefusal.UnknownPath(), "404 NOT_FOUND"],
  MethodNotAllowed: [new HttpRefusal.MethodNotAllowed({ allowed: ["GET", "HEAD"] }), "405 METHOD_NOT_ALLOWED"],
  DuplicateId: [new DuplicateId({ entityType: "complianceCheck", id: "first-aid" }), "409 DUPLICATE_ID"],
  AlreadyLinked: [
    new Ownership.AlreadyLinked({ slot: "worker", holder: "wkr_1", advice: "transfer" }),
    "409 ALREADY_LINKED"
  ],
  OwnerMismatch: [new Ownership.OwnerMismatch({ slot: "applicant", holder: "app_1" }), "409 OWNER_MISMATCH"],
  PayloadTooLarge: [new HttpRefusal.PayloadTooLarge({ limitBytes: 1024 }), "413 PAYLOAD_TOO_LARGE"],
  UriTooLong: [new HttpRefusal.UriTooLong({ limitBytes: 8192 }), "414 URI_TOO_LONG"],
  UnsupportedMediaType: [
    new HttpRefusal.UnsupportedMediaType({ part: "type", supported: ["application/json"] }),
    "415 UNSUPPORTED_MEDIA_TYPE"
  ],
  LinkNotFound: [new LinkNotFound({ field: "worker", entityType: "worker", found: "none" }), "422 UNPROCESSABLE"],
  PackageInactive: [new PackageInactive({ code: "aged-care" }), "422 UNPROCESSABLE"],
  ImportNotReady: [new ImportNotReady({ action: "run", status: "UPLOADED" }), "422 UNPROCESSABLE"],
  ImportsBusy: [new ImportsBusy({ otherId: "imp_1" }), "422 UNPROCESSABLE"],
  MergeNotFound: [new MergeNotFound({ mergeId: "mrg_1" }), "404 NOT_FOUND"],
  MergeTooLarge: [new MergeTooLarge({ workerId: "wkr_1", limit: 500 }), "422 UNPROCESSABLE"],
  TooManyBans: [new TooManyBans({ workerIds: ["wkr_1", "wkr_2"], limit: 100 }), "422 UNPROCESSABLE"],
  MergeFinal: [new MergeFinal({ mergeId: "mrg_1", why: "EXPIRED" }), "422 UNPROCESSABLE"],
  MergedAgain: [new MergedAgain({ mergeId: "mrg_1", workerId: "wkr_1", intoId: "wkr_2" }), "422 UNPROCESSABLE"],
  MovedOn: [new MovedOn({ mergeId: "mrg_1", ids: ["cred_1"], hidden: 0 }), "422 UNPROCESSABLE"],
  InvitationClosed: [new InvitationClosed({ action: "remind", status: "EXPIRED" }), "422 UNPROCESSABLE"],
  NotVerifiable: [new NotVerifiable({ credentialType: "FIRST_AID" }), "422 UNPROCESSABLE"],
  TooManyWaiting: [new TooManyWaiting({ credentialId: "cred_1", limit: 500 }), "422 UNPROCESSABLE"],
  NotDecidable: [
    new NotDecidable({ subjectId: "cred_1", about: ["CONDITIONAL"], outcomes: ["MAY_ENGAGE"], until: "2026-01-31" }),
    "422 UNPROCESSABLE"
  ],
  OwnBan: [new OwnBan({ banId: "urn:wcs:ban:ndis:1" }), "422 UNPROCESSABLE"],
  MessageNotEnded: [new MessageNotEnded({ id: "msg_1", state: "ACCEPTED" }), "422 UNPROCESSABLE"],
  RequirementChanged: [new RequirementChanged({ from: "2026-01-31" }), "422 UNPROCESSABLE"],
  AnswerClosed: [new AnswerClosed({ action: "reject", state: "APPROVED" }), "422 UNPROCESSABLE"],
  TargetChanged: [new TargetChanged({ credentialType: "WWCC_NSW" }), "412 PRECONDITION_FAILED"],
  OwnAnswer: [new OwnAnswer({ answerId: "ans_1" }), "422 UNPROCESSABLE"],
  TaskTaken: [new TaskTaken({ taskId: "tsk_1", ownerId: "acc_1" }), "422 UNPROCESSABLE"],
  OwnCard: [new OwnCard({ credentialId: "cred_1" }), "422 UNPROCESSABLE"],
  ProofTooLarge: [new ProofTooLarge({ workerId: "wkr_1", seals: 401, limit: 400 }), "422 UNPROCESSABLE"],
  OwnerOutside: [new OwnerOutside({ credentialId: "cred_1" }), "422 UNPROCESSABLE"],
  NoReviewWaiting: [new NoReviewWaiting({ credentialId: "cred_1" }), "422 UNPROCESSABLE"],
  NoteNotFound: [new NoteNotFound({ noteId: "note_1" }), "404 NOT_FOUND"],
  NotAuthor: [new NotAuthor({ noteId: "note_1" }), "403 FORBIDDEN"],
  NotesFull: [new NotesFull({ most: 500 }), "422 UNPROCESSABLE"],
  DocumentNotFound: [new DocumentNotFound({ documentId: "doc_1" }), "404 NOT_FOUND"],
  DocumentsFull: [new DocumentsFull({ limit: "record", most: 20 }), "422 UNPROCESSABLE"],
  DeliveryNotFound: [new DeliveryNotFound({ deliveryId: "dlv_1" }), "404 NOT_FOUND"],
  WebhookInactive: [new WebhookInactive({ webhookId: "whk_1" }), "422 UNPROCESSABLE"],
  CollectionFull: [new CollectionFull({ entityType: "webhook", most: 100 }), "422 UNPROCESSABLE"],
  PreconditionFailed: [new PreconditionFailed({ current: '"7-abc"' }), "412 PRECONDITION_FAILED"],
  BreakGlassMissing: [new BreakGlassMissing(), "422 UNPROCESSABLE"],
  SecretsFull: [new SecretsFull({ max: 5, until: Date.UTC(2026, 0, 31) }), "422 UNPROCESSABLE"],
  LastOwner: [new Ownership.LastOwner({ holder: "wkr_1" }), "422 UNPROCESSABLE"],
  OwnerNotFound: [new Ownership.OwnerNotFound({ owner: { type: "applicant", id: "app_1" } }), "422 UNPROCESSABLE"],
  CheckDisabled: [new CheckDisabled({ code: "first-aid" }), "422 UNPROCESSABLE"],
  TooManySelected: [new TooManySelected({ limit: 500 }), "422 UNPROCESSABLE"],
  RateLimited: [new RateLimited({ quota }), "429 TOO_MANY_REQUESTS"],
  Unavailable: [new HttpRefusal.Unavailable({ retryAfterSeconds: 1 }), "503 UNAVAILABLE"]
}
const rows = Object.values(table)

describe("refusals", () => {
  for (const [refusal, answer] of rows) {
    it(`ENV-02, ENV-03: ${refusal._tag} is ${answer}`, () => {
      const code = codeOf(refusal._tag)
      assert.strictEqual(`${statusOf(code)} ${code}`, answer)
    })
  }

  it("ENV-03: every code stands for a refusal", () => {
    assert.sameMembers([...new Set(rows.map(([refusal]) => codeOf(refusal._tag)))], [...errorCodes])
  })

  it("OWN-05, OWN-09: picks the message by the details of the refusal", () => {
    const unlinkFirst = new Ownership.AlreadyLinked({ slot: "worker", holder: "wkr_1", advice: "unlink first" })
    assert.strictEqual(textOf(unlinkFirst), "The worker slot holds wkr_1. Unlink that owner first.")
    assert.match(textOf(new Ownership.OwnerMismatch({ slot: "worker", holder: null })), /; current owner: none\.$/)
    const soon = new RateLimited({ quota: { ...quota, resetSeconds: 1 } })
    assert.strictEqual(textOf(soon), "The rate limit is exceeded. Try again in 1 second.")
    const closed = "The status is CANCELLED, which is final. Create a new item instead."
    for (const action of ["resend", "remind", "update"] as const) {
      assert.strictEqual(textOf(new InvitationClosed({ action, status: "CANCELLED" })), closed)
    }
    const cancelled = new InvitationClosed({ action: "cancel", status: "COMPLETED" })
    assert.strictEqual(textOf(cancelled), "The status is COMPLETED, which is final. Nothing was cancelled.")
    const whole = { field: "", reason: "must be an object" }
    assert.strictEqual(textOf(new InvalidArgument(whole)), "The body must be an object.")
    const [a, b] = [
      { field: "a", reason: "is required" },
      { field: "b.0", reason: "must be a string" }
    ]
    assert.strictEqual(textOf(new InvalidArgument({ ...a, others: [b] })), "a is required. b.0 must be a string.")
    assert.strictEqual(
      textOf(new InvalidArgument({ ...a, others: [b], isCut: true, shapes: ["{ 1 }", "{ 2 }"] })),
      "a is required. b.0 must be a string. More fields are invalid. The body must be { 1 } or { 2 }."
    )
  })

  it("ENV-18: messages are short and reveal no internals", () => {
    for (const [refusal] of rows) {
      const text = textOf(refusal)
      assert.match(text, /^[\x20-\x7e]{10,160}\.$/, refusal._tag)
      assert.notMatch(
        text,
        /\bat \S+:\d|\/(src|node_modules|work|home|tmp)\b|select |sqlite|effect|undefined|\[object|null/i,
        refusal._tag
      )
    }
  })

  it("threat 24: shortens input of the caller in messages", () => {
    const long = "x".repeat(100_000)
    assert.isBelow(textOf(new Ownership.MalformedCredentialId({ credentialId: long })).length, 200)
  })
})
