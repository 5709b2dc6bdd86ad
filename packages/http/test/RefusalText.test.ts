import { assert, describe, it, layer } from "@effect/vitest"
import { wireErrors } from "@wcs/api/WireError"
import { Forbidden } from "@wcs/domain/access/Privilege"
import { RateLimited } from "@wcs/domain/access/RateLimitTier"
import { OutlivesMaker } from "@wcs/domain/access/TokenLifetime"
import { TooManySelected } from "@wcs/domain/credential/OwnerChanges"
import { LinkNotFound } from "@wcs/domain/crud/Links"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { AccountUnverified, OtherOrganization } from "@wcs/domain/legacy/LegacyAccess"
import { NoSuchUser } from "@wcs/domain/legacy/LegacyAuthentication"
import * as Ownership from "@wcs/domain/ownership/Ownership"
import { PreconditionFailed } from "@wcs/domain/resource/Precondition"
import { CollectionFull, DuplicateId, ResourceNotFound } from "@wcs/domain/resource/Resource"
import { CheckDisabled } from "@wcs/domain/screening/ComplianceEvaluation"
import { ItemBroken } from "@wcs/domain/screening/FetchRequests"
import { InvitationClosed } from "@wcs/domain/screening/Invitation"
import { PackageInactive } from "@wcs/domain/screening/RecruitmentChecks"
import { PositionUnknown } from "@wcs/domain/service/Changes"
import { NotASession } from "@wcs/domain/session/StepUp"
import * as ErrorCode from "@wcs/domain/shared/ErrorCode"
import { InvalidArgument, InvalidUrn, MalformedBody } from "@wcs/domain/shared/InvalidArgument"
import { BreakGlassMissing } from "@wcs/domain/single-sign-on/IdentityProviders"
import { EmailTaken } from "@wcs/domain/token/AccessStore"
import { NotAUser } from "@wcs/domain/token/Issued"
import { MakerEnded } from "@wcs/domain/token/Lineage"
import { PasswordsBusy } from "@wcs/domain/user/Passwords"
import { LastSuperAdmin, NotInviter } from "@wcs/domain/user/UserRights"
import { AlreadyJoined } from "@wcs/domain/user/Users"
import { NoReviewWaiting, NotVerifiable, TooManyWaiting } from "@wcs/domain/verification/Verifications"
import { DeliveryNotFound, WebhookInactive } from "@wcs/domain/webhook/Deliveries"
import { SecretsFull } from "@wcs/domain/webhook/WebhookSecret"
import * as HttpRefusal from "@wcs/http/refusal/HttpRefusal"
import { headersOf, type Refusal, textOf } from "@wcs/http/refusal/RefusalText"
import { answerOf } from "@wcs/http/refusal/Refused"
import { failureOn } from "@wcs/http/Surface"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { Context, Effect, Layer, References } from "effect"
import { HttpServerResponse } from "effect/http"
import * as Deployment from "./Deployment.ts"

type OneOf<Tag extends Refusal["_tag"]> = Extract<Refusal, { readonly _tag: Tag }>

const quota = { limit: 600, remaining: 0, resetSeconds: 17, exceeded: true }

/** Each refusal with its status, code (§7.1; DECISIONS.md#resources) and message. */
const table: { readonly [Tag in Refusal["_tag"]]: readonly [OneOf<Tag>, number, ErrorCode.ErrorCode, string] } = {
  InvalidArgument: [
    new InvalidArgument({ field: "identity.displayName", reason: "is required" }),
    400,
    "INVALID_ARGUMENT",
    "identity.displayName is required."
  ],
  MalformedCredentialId: [
    new Ownership.MalformedCredentialId({ credentialId: "nonsense" }),
    400,
    "INVALID_ARGUMENT",
    "credentialIds: nonsense must be cred_ and 16 letters or digits."
  ],
  MalformedBody: [
    new MalformedBody({ reason: "is not valid JSON" }),
    400,
    "BAD_REQUEST",
    "The body is not valid JSON."
  ],
  ItemBroken: [
    new ItemBroken(),
    500,
    "INTERNAL",
    "Internal error. Check whether the item was created before you retry."
  ],
  NotAUser: [
    new NotAUser({ account: "urn:wcs:account:acc_1" }),
    422,
    "UNPROCESSABLE",
    "urn:wcs:account:acc_1 is a service account. Only users can create access tokens and API clients."
  ],
  OutlivesMaker: [
    new OutlivesMaker({ maxLifetimeSeconds: 60 }),
    422,
    "UNPROCESSABLE",
    "expiresInSeconds: a new token cannot outlive the token of this call. Use at most 60 seconds, or omit the field."
  ],
  MakerEnded: [
    new MakerEnded(),
    422,
    "UNPROCESSABLE",
    "The token of this call has expired or was revoked. Nothing was created."
  ],
  EmailTaken: [
    new EmailTaken({ email: "ann@example.org" }),
    422,
    "UNPROCESSABLE",
    "email: the organization already has a user with ann@example.org."
  ],
  AlreadyJoined: [
    new AlreadyJoined({ email: "ann@example.org" }),
    422,
    "UNPROCESSABLE",
    "ann@example.org has joined or is deactivated. Invite links are for active users who have not joined."
  ],
  NotInviter: [
    new NotInviter({ email: "ann@example.org" }),
    403,
    "FORBIDDEN",
    "Another account invited ann@example.org. Only that account or a Super Admin can renew the invite link."
  ],
  LastSuperAdmin: [
    new LastSuperAdmin(),
    422,
    "UNPROCESSABLE",
    "The user is the last active Super Admin. Make another user a Super Admin first."
  ],
  NotASession: [
    new NotASession(),
    422,
    "UNPROCESSABLE",
    "This call needs a logged-in user. Tokens cannot create or change logins."
  ],
  InsecureTransport: [new HttpRefusal.InsecureTransport(), 400, "BAD_REQUEST", "HTTPS is required."],
  MalformedRequest: [
    new HttpRefusal.MalformedRequest({ reason: "is not valid HTTP" }),
    400,
    "BAD_REQUEST",
    "The request is not valid HTTP."
  ],
  RequestTimeout: [
    new HttpRefusal.RequestTimeout(),
    408,
    "REQUEST_TIMEOUT",
    "The request did not arrive completely in time."
  ],
  HeadersTooLarge: [
    new HttpRefusal.HeadersTooLarge({ limitBytes: 16384 }),
    431,
    "HEADERS_TOO_LARGE",
    "The URL and the headers together are larger than 16384 bytes."
  ],
  InvalidUrn: [
    new InvalidUrn({ field: "id" }),
    400,
    "INVALID_URN",
    "id must be a URN of the form urn:wcs:ban:<register>:<key>."
  ],
  Forbidden: [
    new Forbidden({ account: "urn:wcs:account:acc_1", operation: "UPDATE", entityType: "credential" }),
    403,
    "FORBIDDEN",
    "urn:wcs:account:acc_1 is unauthorized to UPDATE credentials."
  ],
  ResourceNotFound: [
    new ResourceNotFound({ entityType: "worker", id: "wkr_1" }),
    404,
    "NOT_FOUND",
    "wkr_1 was not found among the workers."
  ],
  CredentialNotFound: [
    new Ownership.CredentialNotFound({ credentialId: "cred_1" }),
    404,
    "NOT_FOUND",
    "cred_1 was not found among the credentials."
  ],
  AccountUnverified: [
    new AccountUnverified(),
    403,
    "FORBIDDEN",
    "The account is not verified. Ask the operator to verify the account."
  ],
  OtherOrganization: [
    new OtherOrganization(),
    403,
    "FORBIDDEN",
    "The requested record does not belong to your organization."
  ],
  NoSuchUser: [
    new NoSuchUser(),
    404,
    "NOT_FOUND",
    "The id in the path must be the id of the caller. GET /users/me returns the id."
  ],
  PositionUnknown: [
    new PositionUnknown(),
    410,
    "POSITION_UNKNOWN",
    "after: the store does not know this position. Get a new one with after=now, then make a full copy."
  ],
  PasswordsBusy: [
    new PasswordsBusy({ retryAfterSeconds: 1 }),
    503,
    "UNAVAILABLE",
    "The service is busy. Try again in 1 second."
  ],
  UnknownHost: [new HttpRefusal.UnknownHost(), 404, "NOT_FOUND", "There is no tenant at this host."],
  UnknownPath: [new HttpRefusal.UnknownPath(), 404, "NOT_FOUND", "There is nothing at this path."],
  MethodNotAllowed: [
    new HttpRefusal.MethodNotAllowed({ allowed: ["GET", "HEAD"] }),
    405,
    "METHOD_NOT_ALLOWED",
    "Method not allowed. Allowed methods: GET, HEAD."
  ],
  DuplicateId: [
    new DuplicateId({ entityType: "complianceCheck", id: "first-aid" }),
    409,
    "DUPLICATE_ID",
    "first-aid already exists or was used before among the compliance checks. Ids cannot be reused: choose another."
  ],
  AlreadyLinked: [
    new Ownership.AlreadyLinked({ slot: "worker", holder: "wkr_1", advice: "transfer" }),
    409,
    "ALREADY_LINKED",
    "The worker slot holds wkr_1. Use transfer to change the owner."
  ],
  OwnerMismatch: [
    new Ownership.OwnerMismatch({ slot: "applicant", holder: "app_1" }),
    409,
    "OWNER_MISMATCH",
    "The given owner does not hold the applicant slot; current owner: app_1."
  ],
  PayloadTooLarge: [
    new HttpRefusal.PayloadTooLarge({ limitBytes: 1024 }),
    413,
    "PAYLOAD_TOO_LARGE",
    "The body is larger than 1024 bytes."
  ],
  UriTooLong: [
    new HttpRefusal.UriTooLong({ limitBytes: 8192 }),
    414,
    "URI_TOO_LONG",
    "The path and query are longer than 8192 bytes."
  ],
  UnsupportedMediaType: [
    new HttpRefusal.UnsupportedMediaType({ part: "type", supported: ["application/json"] }),
    415,
    "UNSUPPORTED_MEDIA_TYPE",
    "The Content-Type must be application/json."
  ],
  LinkNotFound: [
    new LinkNotFound({ field: "worker", entityType: "worker", found: "none" }),
    422,
    "UNPROCESSABLE",
    "worker was not found among the workers."
  ],
  PackageInactive: [
    new PackageInactive({ code: "aged-care" }),
    422,
    "UNPROCESSABLE",
    "screeningPackageCode: the screening package aged-care is inactive. Use an active one."
  ],
  InvitationClosed: [
    new InvitationClosed({ action: "remind", status: "EXPIRED" }),
    422,
    "UNPROCESSABLE",
    "The status is EXPIRED. Use resend to restart the deadline."
  ],
  NotVerifiable: [
    new NotVerifiable({ credentialType: "FIRST_AID" }),
    422,
    "UNPROCESSABLE",
    "Credentials of type FIRST_AID cannot be verified: no register covers this type."
  ],
  TooManyWaiting: [
    new TooManyWaiting({ credentialId: "cred_1", limit: 500 }),
    422,
    "UNPROCESSABLE",
    "500 verifications of cred_1 are already pending. Wait for a verdict before you retry."
  ],
  NoReviewWaiting: [
    new NoReviewWaiting({ credentialId: "cred_1" }),
    422,
    "UNPROCESSABLE",
    "No review of cred_1 is waiting for a decision."
  ],
  DeliveryNotFound: [
    new DeliveryNotFound({ deliveryId: "dlv_1" }),
    404,
    "NOT_FOUND",
    "The webhook has no delivery dlv_1."
  ],
  WebhookInactive: [
    new WebhookInactive({ webhookId: "whk_1" }),
    422,
    "UNPROCESSABLE",
    "The webhook whk_1 is disabled. Enable the webhook first."
  ],
  CollectionFull: [
    new CollectionFull({ entityType: "webhook", most: 100 }),
    422,
    "UNPROCESSABLE",
    "The limit of 100 webhooks is reached. Delete one first."
  ],
  PreconditionFailed: [
    new PreconditionFailed({ current: '"7-abc"' }),
    412,
    "PRECONDITION_FAILED",
    'The resource was changed: its ETag is "7-abc". Read the resource again before you change it.'
  ],
  BreakGlassMissing: [
    new BreakGlassMissing(),
    422,
    "UNPROCESSABLE",
    "required: set up a password and a second factor as a Super Admin before you require single sign-on."
  ],
  SecretsFull: [
    new SecretsFull({ max: 5, until: Date.UTC(2026, 0, 31) }),
    422,
    "UNPROCESSABLE",
    "The webhook has 5 valid signing secrets, the maximum. The next rotation is possible after 2026-01-31T00:00:00.000Z."
  ],
  LastOwner: [
    new Ownership.LastOwner({ holder: "wkr_1" }),
    422,
    "UNPROCESSABLE",
    "wkr_1 is the only remaining owner. Delete the credential instead."
  ],
  OwnerNotFound: [
    new Ownership.OwnerNotFound({ owner: { type: "applicant", id: "app_1" } }),
    422,
    "UNPROCESSABLE",
    "There is no applicant app_1."
  ],
  CheckDisabled: [
    new CheckDisabled({ code: "first-aid" }),
    422,
    "UNPROCESSABLE",
    "The compliance check first-aid is disabled. Enable the check first."
  ],
  TooManySelected: [
    new TooManySelected({ limit: 500 }),
    422,
    "UNPROCESSABLE",
    "More than 500 credentials match. Send smaller batches in credentialIds."
  ],
  RateLimited: [
    new RateLimited({ quota }),
    429,
    "TOO_MANY_REQUESTS",
    "The rate limit is exceeded. Try again in 17 seconds."
  ],
  Unavailable: [
    new HttpRefusal.Unavailable({ retryAfterSeconds: 1 }),
    503,
    "UNAVAILABLE",
    "The service is busy. Try again in 1 second."
  ]
}
const rows = Object.values(table)

/** The headers of each refusal. */
const headers: { readonly [Tag in Refusal["_tag"]]?: Readonly<Record<string, string>> } = {
  RateLimited: { "retry-after": "17" },
  Unavailable: { "retry-after": "1" },
  PasswordsBusy: { "retry-after": "1" },
  MethodNotAllowed: { allow: "GET, HEAD" },
  PayloadTooLarge: { connection: "close" },
  HeadersTooLarge: { connection: "close" },
  RequestTimeout: { connection: "close" },
  MalformedRequest: { connection: "close" }
}

const codes = ErrorCode.ErrorCodes.of({ codeOf: ErrorCode.codeOf, statusOf: ErrorCode.statusOf })

const bodyOf = (response: HttpServerResponse.HttpServerResponse) =>
  Effect.promise(() => HttpServerResponse.toWeb(response).json())

describe("refusals", () => {
  it.effect.each(rows.map((row) => ({ tag: row[0]._tag, row })))(
    "ENV-02, ENV-03: $tag has its status, code and message",
    ({ row }) =>
      Effect.gen(function* () {
        const [refusal, status, code, text] = row
        assert.strictEqual(textOf(refusal), text)
        assert.deepStrictEqual(headersOf(refusal), headers[refusal._tag] ?? {})
        const answer = answerOf(codes, refusal, "01ARZ3NDEKTSV4RRFFQ69G5FAV")
        assert.strictEqual(answer.status, status)
        assert.deepStrictEqual(yield* bodyOf(answer), {
          error: { code, message: text, requestId: "01ARZ3NDEKTSV4RRFFQ69G5FAV" }
        })
      })
  )

  it("ENV-03: covers every refusal of the domain's table and every error code", () => {
    const raised = ErrorCode.errorCodes.flatMap((code): ReadonlyArray<string> => ErrorCode.table[code].raisedBy)
    assert.sameMembers(Object.keys(table), raised)
    const codesHere = new Set(rows.map(([, , code]) => code))
    assert.sameMembers([...codesHere], [...ErrorCode.errorCodes])
    assert.sameMembers(Object.keys(wireErrors), [...ErrorCode.errorCodes])
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

  it.effect("ENV-15, ENV-18: answers internal errors with INTERNAL in the error form of each surface", () =>
    Effect.gen(function* () {
      const message = "Internal error of the service. Try again later, or report the request id."
      const requestId = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
      const enveloped = { error: { code: "INTERNAL", message, requestId } }
      const expected = {
        newer: enveloped,
        outside: enveloped,
        token: { error: "server_error", error_description: message },
        legacy: { status: 500, message, field: null }
      }
      for (const surface of ["newer", "outside", "token", "legacy"] as const) {
        const answer = failureOn(surface, requestId)
        assert.strictEqual(answer.status, 500)
        assert.deepStrictEqual(yield* bodyOf(answer), expected[surface], surface)
      }
    })
  )
})

/** A broken store whose errors contain internals. */
const secret = "SQLITE_CORRUPT at /var/lib/wcs/wcs.sqlite: SELECT secret_hash FROM oauth_client"
const broken = Layer.merge(
  StoreSqlite.layerMemory,
  Layer.succeed(
    ResourceStore,
    ResourceStore.of({
      find: () => Effect.die(new Error(secret)),
      findText: () => Effect.die(new Error(secret)),
      findAll: () => Effect.die(new Error(secret)),
      versions: () => Effect.die(new Error(secret)),
      heldByEach: () => Effect.die(new Error(secret)),
      list: () =>
        Effect.sync(() => {
          throw new Error(secret)
        }),
      change: () => Effect.die(secret)
    })
  )
)

layer(Deployment.services(broken), { excludeTestServices: true })("a broken store", (it) => {
  it.effect("ENV-15, ENV-18: causes 500 INTERNAL without internals, with the common headers", () =>
    Effect.gen(function* () {
      const { tokenOf } = yield* Deployment.settle
      const fetch = yield* Deployment.serve(Context.make(References.MinimumLogLevel, "None"))
      const token = yield* tokenOf("Super Admin")
      const path = "/openapi/v1/workers"
      const body = JSON.stringify({ identity: { displayName: "Ann" } })
      const sent = { method: "POST", headers: { "content-type": "application/json" }, body }
      for (const call of [{ path }, { path: `${path}/wkr_0000000000000000` }, { path, ...sent }]) {
        const answer = yield* Deployment.call({ ...call, token }).pipe(Effect.provideService(Deployment.Fetch, fetch))
        assert.strictEqual(answer.status, 500)
        assert.deepStrictEqual(answer.json, {
          error: {
            code: "INTERNAL",
            message: "Internal error of the service. Try again later, or report the request id.",
            requestId: answer.headers["x-request-id"]
          }
        })
        assert.property(answer.headers, "x-ratelimit-remaining")
        assert.notMatch(JSON.stringify(answer), /sqlite|secret_hash|\/var\//i)
      }
    })
  )
})
