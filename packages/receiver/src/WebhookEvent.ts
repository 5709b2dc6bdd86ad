/** The event in a delivery's body. Further fields are allowed. */
import { Data, Result, Schema } from "effect"

/** The characters of ids, in every deployment of the interface. */
const idForm = /^[A-Za-z0-9._:-]{1,128}$/

const Id = Schema.String.check(Schema.isPattern(idForm))

/** One event for one webhook. It stays the same over all attempts: deduplicate on it. */
export const DeliveryId = Id.pipe(Schema.brand("DeliveryId"))
export type DeliveryId = typeof DeliveryId.Type

/** The id of the event, the same for all webhooks that receive the event. */
export const EventId = Id.pipe(Schema.brand("EventId"))
export type EventId = typeof EventId.Type

/** The correlation id from the answer of the call that requested the verification. */
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
  /** An empty slot is null. */
  owners: Schema.Struct({ worker: Schema.NullOr(WorkerId), applicant: Schema.NullOr(ApplicantId) })
})

/** The words of a verdict are text, so that new words are accepted. Treat unknown words as no clearance. */
const Verification = Schema.Struct({
  /** For example `MAY_ENGAGE`. */
  eligibility: Schema.String,
  /** For example `VALID`. */
  statusDetail: Schema.String,
  /** The last day of validity, `YYYY-MM-DD`. */
  expiryDate: Schema.NullOr(Schema.String),
  errorMessage: Schema.NullOr(Schema.String),
  /** The `X-Request-Id` of the requesting call. */
  requestId: Schema.String,
  /** `create`, `verify` or `scan`. */
  trigger: Schema.String,
  /** RFC 3339, UTC. */
  verifiedAt: Schema.String
})

/** Fields of every event. */
const envelope = {
  /** RFC 3339, UTC. */
  timestamp: Schema.String,
  deliveryId: DeliveryId,
  eventId: EventId,
  /** Null when no call caused the event. */
  correlationId: Schema.NullOr(CorrelationId)
}

/** Orders the events of one credential or worker. Deliveries may arrive out of order. */
const sequence = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const kindOfVerified = "credential.verified"
const kindsOfChanged = ["credential.created", "credential.updated"] as const
const kindsOfExpiry = ["credential.expiring", "credential.expired"] as const
const kindsOfErasure = ["worker.erasing", "worker.erased"] as const
const kindOfCompliance = "worker.complianceChanged"
const decodedKinds: ReadonlyArray<string> = [
  ...[kindOfVerified, ...kindsOfChanged, ...kindsOfExpiry],
  ...[kindOfCompliance, ...kindsOfErasure]
]

/** A verification has finished, with any verdict (§6). */
export const CredentialVerified = Schema.Struct({
  _tag: Schema.tagDefaultOmit("CredentialVerified"),
  ...envelope,
  type: Schema.Literal(kindOfVerified),
  correlationId: CorrelationId,
  sequence,
  data: Schema.Struct({ credential: Credential, verification: Verification })
})
export type CredentialVerified = typeof CredentialVerified.Type

/** A credential was created, changed, linked, unlinked or transferred. */
export const CredentialChanged = Schema.Struct({
  _tag: Schema.tagDefaultOmit("CredentialChanged"),
  ...envelope,
  type: Schema.Literals(kindsOfChanged),
  sequence,
  data: Schema.Struct({ credential: Credential })
})
export type CredentialChanged = typeof CredentialChanged.Type

/** The result of a worker in a compliance check has changed. */
export const ComplianceChanged = Schema.Struct({
  _tag: Schema.tagDefaultOmit("ComplianceChanged"),
  ...envelope,
  type: Schema.Literal(kindOfCompliance),
  sequence,
  data: Schema.Struct({
    worker: Schema.Struct({ id: WorkerId, type: Schema.Literal("worker") }),
    complianceCheck: Schema.Struct({ id: Id, type: Schema.Literal("complianceCheck") }),
    /** `PASS` or `FAIL`. Treat unknown words as FAIL. */
    from: Schema.String,
    to: Schema.String,
    /** For example `DAY`, when a card expired. */
    reason: Schema.String
  })
})
export type ComplianceChanged = typeof ComplianceChanged.Type

/** A credential expires soon, or has expired. */
export const CredentialExpires = Schema.Struct({
  _tag: Schema.tagDefaultOmit("CredentialExpires"),
  ...envelope,
  type: Schema.Literals(kindsOfExpiry),
  sequence,
  data: Schema.Struct({
    credential: Credential,
    expiry: Schema.Struct({
      /** The last day of validity, `YYYY-MM-DD`. */
      expiryDate: Schema.String,
      /** Days from the day of the event to that day, negative after it. */
      daysLeft: Schema.Int
    })
  })
})
export type CredentialExpires = typeof CredentialExpires.Type

/** The personal data of a worker will be erased, or was erased. */
export const WorkerErased = Schema.Struct({
  _tag: Schema.tagDefaultOmit("WorkerErased"),
  ...envelope,
  type: Schema.Literals(kindsOfErasure),
  sequence,
  data: Schema.Struct({
    worker: Schema.Struct({ id: WorkerId, type: Schema.Literal("worker") }),
    erasure: Schema.Struct({
      /** For example `RETENTION_ENDED`. */
      reason: Schema.String,
      /** The day of the erasure, `YYYY-MM-DD`. Null if it was not announced. */
      dueOn: Schema.NullOr(Schema.String)
    })
  })
})
export type WorkerErased = typeof WorkerErased.Type

/** Any other event: `webhook.test` or a newer kind. Its `data` is not decoded. */
export const OtherEvent = Schema.Struct({
  _tag: Schema.tagDefaultOmit("OtherEvent"),
  ...envelope,
  type: Schema.String.check(
    Schema.makeFilter((kind: string) => !decodedKinds.includes(kind), { expected: "another kind of event" })
  ),
  sequence: Schema.optionalKey(Schema.NullOr(sequence)),
  data: Schema.Unknown
})
export type OtherEvent = typeof OtherEvent.Type

/** One event. `_tag`, which is not in the body, tells the type of `data`. */
export const WebhookEvent = Schema.Union([
  CredentialVerified,
  CredentialChanged,
  CredentialExpires,
  WorkerErased,
  ComplianceChanged,
  OtherEvent
])
export type WebhookEvent = typeof WebhookEvent.Type

/** The signature is valid, but the body is none of the events above. The error does not contain it. */
export class MalformedEvent extends Data.TaggedError("MalformedEvent") {
  override get message(): string {
    return "The body is not an event that this receiver can decode."
  }
}

const decodeJson = Schema.decodeUnknownResult(Schema.fromJsonString(WebhookEvent))

/** Reads the event from a body whose signature was verified. */
export const decode = (body: Uint8Array): Result.Result<WebhookEvent, MalformedEvent> =>
  Result.try(() => new TextDecoder("utf-8", { fatal: true }).decode(body)).pipe(
    Result.flatMap(decodeJson),
    Result.mapError(() => new MalformedEvent())
  )
