import { assert, describe, it, layer } from "@effect/vitest"
import { wireErrors } from "@wcs/api/WireError"
import { EmailTaken } from "@wcs/domain/access/AccessStore"
import { NotAUser } from "@wcs/domain/access/Issued"
import { MakerEnded } from "@wcs/domain/access/Lineage"
import { Forbidden } from "@wcs/domain/access/Privilege"
import { RateLimited } from "@wcs/domain/access/RateLimitTier"
import { OutlivesMaker } from "@wcs/domain/access/TokenLifetime"
import { TooManySelected } from "@wcs/domain/credential/Credentials"
import { AccountUnverified, OtherOrganization } from "@wcs/domain/legacy/LegacyAccess"
import { NoSuchUser } from "@wcs/domain/legacy/LegacyAuthentication"
import { PasswordsBusy } from "@wcs/domain/login/Passwords"
import { NotASession } from "@wcs/domain/login/StepUp"
import * as Ownership from "@wcs/domain/ownership/Ownership"
import { LinkNotFound } from "@wcs/domain/resource/Links"
import { CollectionFull, DuplicateId, ResourceNotFound } from "@wcs/domain/resource/Resource"
import { ResourceStore } from "@wcs/domain/resource/ResourceStore"
import { CheckDisabled } from "@wcs/domain/screening/ComplianceEvaluation"
import { ItemBroken } from "@wcs/domain/screening/FetchRequests"
import { InvitationClosed } from "@wcs/domain/screening/Invitation"
import { PackageInactive } from "@wcs/domain/screening/RecruitmentChecks"
import * as ErrorCode from "@wcs/domain/shared/ErrorCode"
import { InvalidArgument, InvalidUrn, MalformedBody } from "@wcs/domain/shared/InvalidArgument"
import { BreakGlassMissing } from "@wcs/domain/single-sign-on/IdentityProviders"
import { AlreadyJoined } from "@wcs/domain/user/TenantUsers"
import { LastSuperAdmin } from "@wcs/domain/user/UserRights"
import { NoReviewWaiting, NotVerifiable, TooManyWaiting } from "@wcs/domain/verification/Verifications"
import { DeliveryNotFound, WebhookInactive } from "@wcs/domain/webhook/Deliveries"
import { SecretsFull } from "@wcs/domain/webhook/WebhookSecret"
import * as Routes from "@wcs/http/Routes"
import * as HttpRefusal from "@wcs/http/refusal/HttpRefusal"
import { headersOf, type Refusal, textOf } from "@wcs/http/refusal/RefusalText"
import { answerOf } from "@wcs/http/refusal/Refused"
import { failureOn } from "@wcs/http/Surface"
import * as StoreMemory from "@wcs/store-memory/StoreMemory"
import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import * as Deployment from "./Deployment.ts"

type OneOf<Tag extends Refusal["_tag"]> = Extract<Refusal, { readonly _tag: Tag }>

const quota = { limit: 600, remaining: 0, resetSeconds: 17, exceeded: true }

/** Each refusal with its status and code, as §7.1 and DECISIONS.md#resources, have them, and its whole text. */
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
    "credentialIds: nonsense is no credential id."
  ],
  MalformedBody: [
    new MalformedBody({ reason: "it is no JSON" }),
    400,
    "BAD_REQUEST",
    "The body cannot be read: it is no JSON."
  ],
  ItemBroken: [
    new ItemBroken(),
    500,
    "INTERNAL",
    "The service failed at it. Look whether it was made before you ask again."
  ],
  NotAUser: [
    new NotAUser({ account: "urn:wcs:account:acc_1" }),
    422,
    "UNPROCESSABLE",
    "urn:wcs:account:acc_1 is a service account. Only a user makes access tokens and API clients."
  ],
  OutlivesMaker: [
    new OutlivesMaker({ maxLifetimeSeconds: 60 }),
    422,
    "UNPROCESSABLE",
    "expiresInSeconds: the token of this call expires, and a token that it makes cannot live longer. Ask for at most 60 seconds, or leave expiresInSeconds out."
  ],
  MakerEnded: [new MakerEnded(), 422, "UNPROCESSABLE", "The token of this call has just ended. Nothing was made."],
  EmailTaken: [
    new EmailTaken({ email: "ann@example.org" }),
    422,
    "UNPROCESSABLE",
    "email: the organization has a user ann@example.org already."
  ],
  AlreadyJoined: [
    new AlreadyJoined({ email: "ann@example.org" }),
    422,
    "UNPROCESSABLE",
    "ann@example.org has a password or is deactivated. Invite links are for active users without a password."
  ],
  LastSuperAdmin: [
    new LastSuperAdmin(),
    422,
    "UNPROCESSABLE",
    "The user is the last active Super Admin. Give the role to another user first."
  ],
  NotASession: [
    new NotASession(),
    422,
    "UNPROCESSABLE",
    "Only a person who is logged in can do this. Tokens make and change no logins."
  ],
  InsecureTransport: [new HttpRefusal.InsecureTransport(), 400, "BAD_REQUEST", "HTTPS is required."],
  MalformedRequest: [
    new HttpRefusal.MalformedRequest({ reason: "it is no HTTP" }),
    400,
    "BAD_REQUEST",
    "The request cannot be read: it is no HTTP."
  ],
  RequestTimeout: [new HttpRefusal.RequestTimeout(), 408, "REQUEST_TIMEOUT", "The request was not complete in time."],
  HeadersTooLarge: [
    new HttpRefusal.HeadersTooLarge({ limitBytes: 16384 }),
    431,
    "HEADERS_TOO_LARGE",
    "The headers are larger than 16384 bytes."
  ],
  InvalidUrn: [new InvalidUrn({ field: "id" }), 400, "INVALID_URN", "id must be a URN of this service."],
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
    "Among the workers there is no wkr_1."
  ],
  CredentialNotFound: [
    new Ownership.CredentialNotFound({ credentialId: "cred_1" }),
    404,
    "NOT_FOUND",
    "Among the credentials there is no cred_1."
  ],
  AccountUnverified: [new AccountUnverified(), 403, "FORBIDDEN", "This account is not verified."],
  OtherOrganization: [new OtherOrganization(), 403, "FORBIDDEN", "This is not one of your organization's."],
  NoSuchUser: [new NoSuchUser(), 404, "NOT_FOUND", "There is no such user."],
  PasswordsBusy: [
    new PasswordsBusy({ retryAfterSeconds: 1 }),
    503,
    "UNAVAILABLE",
    "The service is busy. Try again in 1 seconds."
  ],
  UnknownHost: [new HttpRefusal.UnknownHost(), 404, "NOT_FOUND", "There is no tenant at this host."],
  UnknownPath: [new HttpRefusal.UnknownPath(), 404, "NOT_FOUND", "There is nothing at this path."],
  MethodNotAllowed: [
    new HttpRefusal.MethodNotAllowed({ allowed: ["GET", "HEAD"] }),
    405,
    "METHOD_NOT_ALLOWED",
    "This path takes GET, HEAD."
  ],
  DuplicateId: [
    new DuplicateId({ entityType: "complianceCheck", id: "first-aid" }),
    409,
    "DUPLICATE_ID",
    "Among the compliance checks there is first-aid already, or was: ids are not given twice."
  ],
  AlreadyLinked: [
    new Ownership.AlreadyLinked({ slot: "worker", holder: "wkr_1", advice: "transfer" }),
    409,
    "ALREADY_LINKED",
    "The worker slot holds wkr_1. Use transfer to change its owner."
  ],
  OwnerMismatch: [
    new Ownership.OwnerMismatch({ slot: "applicant", holder: "app_1" }),
    409,
    "OWNER_MISMATCH",
    "The current owner in the applicant slot is another than the one given; current owner: app_1."
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
    new HttpRefusal.UnsupportedMediaType({ supported: ["application/json"] }),
    415,
    "UNSUPPORTED_MEDIA_TYPE",
    "The body must be application/json."
  ],
  LinkNotFound: [
    new LinkNotFound({ field: "worker", entityType: "worker", found: "none" }),
    422,
    "UNPROCESSABLE",
    "worker: there is none such among the workers."
  ],
  PackageInactive: [
    new PackageInactive({ code: "aged-care" }),
    422,
    "UNPROCESSABLE",
    "screeningPackageCode: aged-care is inactive. Name an active screening package."
  ],
  InvitationClosed: [
    new InvitationClosed({ action: "remind", status: "EXPIRED" }),
    422,
    "UNPROCESSABLE",
    "It is EXPIRED. Use resend, which counts its days anew."
  ],
  NotVerifiable: [
    new NotVerifiable({ credentialType: "FIRST_AID" }),
    422,
    "UNPROCESSABLE",
    "No register can be asked about a credential of type FIRST_AID."
  ],
  TooManyWaiting: [
    new TooManyWaiting({ credentialId: "cred_1", limit: 500 }),
    422,
    "UNPROCESSABLE",
    "500 verifications of cred_1 await a verdict already. Ask again once it is there."
  ],
  NoReviewWaiting: [
    new NoReviewWaiting({ credentialId: "cred_1" }),
    422,
    "UNPROCESSABLE",
    "No decision is awaited for cred_1."
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
    "The webhook whk_1 takes no deliveries. Enable it first."
  ],
  CollectionFull: [
    new CollectionFull({ entityType: "webhook", most: 100 }),
    422,
    "UNPROCESSABLE",
    "There are 100 webhooks already, as many as there may be. Delete one first."
  ],
  BreakGlassMissing: [
    new BreakGlassMissing(),
    422,
    "UNPROCESSABLE",
    "required: only a Super Admin with a password and a second factor can require single sign-on."
  ],
  SecretsFull: [
    new SecretsFull({ max: 5, until: Date.UTC(2026, 0, 31) }),
    422,
    "UNPROCESSABLE",
    "The webhook has 5 signing secrets that are valid still. Rotate when one of them has retired, after 2026-01-31T00:00:00.000Z."
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
    "The compliance check first-aid is disabled. Enable it to evaluate it."
  ],
  TooManySelected: [
    new TooManySelected({ limit: 500 }),
    422,
    "UNPROCESSABLE",
    "More than 500 credentials are selected. Name them in batches with credentialIds."
  ],
  RateLimited: [
    new RateLimited({ quota }),
    429,
    "TOO_MANY_REQUESTS",
    "The rate limit is used up. Try again in 17 seconds."
  ],
  Unavailable: [
    new HttpRefusal.Unavailable({ retryAfterSeconds: 1 }),
    503,
    "UNAVAILABLE",
    "The service is busy. Try again in 1 seconds."
  ]
}
const rows = Object.values(table)

/** What a refusal brings along beside its body. */
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
  it.effect.each(rows)(
    "ENV-02, ENV-03: $0._tag stands at its status with its code and text",
    ([refusal, status, code, text]) =>
      Effect.gen(function* () {
        assert.strictEqual(textOf(refusal), text)
        assert.deepStrictEqual(headersOf(refusal), headers[refusal._tag] ?? {})
        const answer = answerOf(codes, refusal, "01ARZ3NDEKTSV4RRFFQ69G5FAV")
        assert.strictEqual(answer.status, status)
        assert.deepStrictEqual(yield* bodyOf(answer), {
          error: { code, message: text, requestId: "01ARZ3NDEKTSV4RRFFQ69G5FAV" }
        })
      })
  )

  it("ENV-03: every refusal that the domain's table names is here, and every code is raised", () => {
    const raised = ErrorCode.errorCodes.flatMap((code): ReadonlyArray<string> => ErrorCode.table[code].raisedBy)
    assert.sameMembers(Object.keys(table), raised)
    const codesHere = new Set(rows.map(([, , code]) => code))
    assert.sameMembers([...codesHere], [...ErrorCode.errorCodes])
    assert.sameMembers(Object.keys(wireErrors), [...ErrorCode.errorCodes])
  })

  it("OWN-05, OWN-09: what can be said in two ways is said in the right one", () => {
    const unlinkFirst = new Ownership.AlreadyLinked({ slot: "worker", holder: "wkr_1", advice: "unlink first" })
    assert.strictEqual(textOf(unlinkFirst), "The worker slot holds wkr_1. Unlink that owner first.")
    assert.match(textOf(new Ownership.OwnerMismatch({ slot: "worker", holder: null })), /; current owner: none\.$/)
    const closed = "It is CANCELLED and stays as it is. Create another in its place."
    for (const action of ["resend", "remind", "update"] as const) {
      assert.strictEqual(textOf(new InvitationClosed({ action, status: "CANCELLED" })), closed)
    }
    const cancelled = new InvitationClosed({ action: "cancel", status: "COMPLETED" })
    assert.strictEqual(textOf(cancelled), "It is COMPLETED: there is nothing to cancel.")
    const whole = { field: "", reason: "must be an object" }
    assert.strictEqual(textOf(new InvalidArgument(whole)), "The body must be an object.")
    const [a, b] = [
      { field: "a", reason: "is required" },
      { field: "b.0", reason: "must be a string" }
    ]
    assert.strictEqual(textOf(new InvalidArgument({ ...a, others: [b] })), "a is required. b.0 must be a string.")
    assert.strictEqual(
      textOf(new InvalidArgument({ ...a, others: [b], isCut: true, shapes: ["{ 1 }", "{ 2 }"] })),
      "a is required. b.0 must be a string. More fields are wrong. The body must be { 1 } or { 2 }."
    )
  })

  it("ENV-18: every text is one short sentence or two of ours, and nothing of the inside", () => {
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

  it("threat 24: what a caller sent is cut before it is said again", () => {
    const long = "x".repeat(100_000)
    assert.isBelow(textOf(new Ownership.MalformedCredentialId({ credentialId: long })).length, 200)
  })

  it.effect("ENV-15, ENV-18: a failure of ours is INTERNAL, in each surface's shape, with one text", () =>
    Effect.gen(function* () {
      const message = "Something went wrong on our side."
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

/** A store that is broken, and says how. */
const secret = "SQLITE_CORRUPT at /var/lib/wcs/wcs.sqlite: SELECT secret_hash FROM oauth_client"
const broken = Layer.merge(
  StoreMemory.layer,
  Layer.succeed(
    ResourceStore,
    ResourceStore.of({
      find: () => Effect.die(new Error(secret)),
      findAll: () => Effect.die(new Error(secret)),
      heldByEach: () => Effect.die(new Error(secret)),
      list: () =>
        Effect.sync(() => {
          throw new Error(secret)
        }),
      change: () => Effect.die(secret)
    })
  )
)

layer(Deployment.services(broken), { excludeTestServices: true })("a store that breaks", (it) => {
  it.effect("ENV-15, ENV-18: is a 500 INTERNAL that says nothing of it, with all that every answer carries", () =>
    Effect.gen(function* () {
      const { tokenOf } = yield* Deployment.settle
      const fetch = yield* Deployment.serve(Routes.layer, true)
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
            message: "Something went wrong on our side.",
            requestId: answer.headers["x-request-id"]
          }
        })
        assert.property(answer.headers, "x-ratelimit-remaining")
        assert.notMatch(JSON.stringify(answer), /sqlite|secret_hash|\/var\//i)
      }
    })
  )
})
