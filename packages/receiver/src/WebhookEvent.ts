/** What a delivery's body says, as far as receivers rely on it. Fields that are not named here are allowed. */
import { Data, Result, Schema } from "effect"

/** Characters that ids are made of, in deliveries of any deployment of the interface. */
const idForm = /^[A-Za-z0-9._:-]{1,128}$/

const Id = Schema.String.check(Schema.isPattern(idForm))

/** One event to one webhook, the same at every attempt: what receivers dedupe on. */
export const DeliveryId = Id.pipe(Schema.brand("DeliveryId"))
export type DeliveryId = typeof DeliveryId.Type

/** What happened, whichever webhooks are told of it. */
export const EventId = Id.pipe(Schema.brand("EventId"))
export type EventId = typeof EventId.Type

/** The same in the answer of the call that asked for the verification. */
export const CorrelationId = Id.pipe(Schema.brand("CorrelationId"))
export type CorrelationId = typeof CorrelationId.Type

export const CredentialId = Id.pipe(Schema.brand("CredentialId"))
export type CredentialId = typeof CredentialId.Type

export const WorkerId = Id.pipe(Schema.brand("WorkerId"))
export type WorkerId = typeof WorkerId.Type

export const ApplicantId = Id.pipe(Schema.brand("ApplicantId"))
export type ApplicantId = typeof ApplicantId.Type

const Credential = Schema.Struct({
  id: CredentialId,
  type: Schema.Literal("credential"),
  /** A code of the catalogue at `GET /credential-types`. */
  credentialType: Schema.String,
  /** Who holds it; an empty slot is null. */
  owners: Schema.Struct({ worker: Schema.NullOr(WorkerId), applicant: Schema.NullOr(ApplicantId) })
})

/** Words of a verdict are text, so that a new one is received: treat one that you do not know as no clearance. */
const Verification = Schema.Struct({
  /** For example `MAY_ENGAGE`. */
  eligibility: Schema.String,
  /** For example `VALID`. */
  statusDetail: Schema.String,
  /** The last day of validity, `YYYY-MM-DD`. */
  expiryDate: Schema.NullOr(Schema.String),
  errorMessage: Schema.NullOr(Schema.String),
  /** Of the call that asked for it, as `X-Request-Id` answered. */
  requestId: Schema.String,
  /** `create`, `verify` or `scan`. */
  trigger: Schema.String,
  /** RFC 3339, UTC. */
  verifiedAt: Schema.String
})

/** What every event says of itself. */
const envelope = {
  /** RFC 3339, UTC. */
  timestamp: Schema.String,
  deliveryId: DeliveryId,
  eventId: EventId,
  /** Null where no call asked for what happened. */
  correlationId: Schema.NullOr(CorrelationId)
}

/** Counts for one credential. Deliveries may come out of order: the greater one happened later. */
const sequence = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const kindOfVerified = "credential.verified"
const kindsOfChanged = ["credential.created", "credential.updated"] as const
const credentialKinds: ReadonlyArray<string> = [kindOfVerified, ...kindsOfChanged]

/** A verification has finished, whatever its verdict (§6). */
export const CredentialVerified = Schema.Struct({
  _tag: Schema.tagDefaultOmit("CredentialVerified"),
  ...envelope,
  type: Schema.Literal(kindOfVerified),
  correlationId: CorrelationId,
  sequence,
  data: Schema.Struct({ credential: Credential, verification: Verification })
})
export type CredentialVerified = typeof CredentialVerified.Type

/** A credential was created, or was changed, linked, unlinked or transferred. */
export const CredentialChanged = Schema.Struct({
  _tag: Schema.tagDefaultOmit("CredentialChanged"),
  ...envelope,
  type: Schema.Literals(kindsOfChanged),
  sequence,
  data: Schema.Struct({ credential: Credential })
})
export type CredentialChanged = typeof CredentialChanged.Type

/** Any other event, of a kind that came later or `webhook.test`: what it says is for its reader to decode. */
export const OtherEvent = Schema.Struct({
  _tag: Schema.tagDefaultOmit("OtherEvent"),
  ...envelope,
  type: Schema.String.check(
    Schema.makeFilter((kind: string) => !credentialKinds.includes(kind), { expected: "another kind of event" })
  ),
  sequence: Schema.optionalKey(Schema.NullOr(sequence)),
  data: Schema.Unknown
})
export type OtherEvent = typeof OtherEvent.Type

/** One event; `_tag`, which the body has not, tells what `data` holds. */
export const WebhookEvent = Schema.Union([CredentialVerified, CredentialChanged, OtherEvent])
export type WebhookEvent = typeof WebhookEvent.Type

/** The body is signed, and is none of the events above. It is not repeated here. */
export class MalformedEvent extends Data.TaggedError("MalformedEvent") {
  override get message(): string {
    return "The body is not an event of the form that this receiver knows."
  }
}

const decodeJson = Schema.decodeUnknownResult(Schema.fromJsonString(WebhookEvent))

/** Reads the event from a body whose signature was verified. */
export const decode = (body: Uint8Array): Result.Result<WebhookEvent, MalformedEvent> =>
  Result.try(() => new TextDecoder("utf-8", { fatal: true }).decode(body)).pipe(
    Result.flatMap(decodeJson),
    Result.mapError(() => new MalformedEvent())
  )
