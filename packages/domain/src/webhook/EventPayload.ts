import { Schema } from "effect"
import { CodeOfType } from "../credential/CredentialType.ts"
import { Owners } from "../ownership/Ownership.ts"
import {
  ApplicantId,
  CredentialId,
  DeliveryId,
  FetchRequestId,
  idSchema,
  RecruitmentCheckId,
  WebhookId,
  WorkerId
} from "../shared/Id.ts"
import { toRfc3339 } from "../shared/Instant.ts"
import { EligibilityWord, StatusDetailWord } from "../verification/Verification.ts"
import { triggers } from "../verification/VerificationRecord.ts"
import type { EventKind } from "./EventKind.ts"
import type { StoredEvent } from "./EventStore.ts"

/**
 * The body of a delivery (DECISIONS.md#webhooks). It is stored, signed and sent unchanged. It has ids and verdicts, but
 * no names, dates of birth or card numbers.
 */
export const payloadOf = (
  { at, correlationId, data, id, kind, sequence }: Omit<StoredEvent, "subjectId" | "about">,
  deliveryId: string
): string =>
  JSON.stringify({ type: kind, timestamp: toRfc3339(at), deliveryId, eventId: id, correlationId, sequence, data })

const time = Schema.String.annotate({ format: "date-time" })

const bodyOf = <const Kind extends EventKind, Data extends Schema.Struct.Fields>(kind: Kind, data: Data) =>
  Schema.Struct({
    type: Schema.Literal(kind),
    timestamp: time.annotate({ description: "When the event happened." }),
    deliveryId: DeliveryId.annotate({
      description: "The event for this webhook. The same in every attempt and redrive: deduplicate by it."
    }),
    eventId: idSchema("event").annotate({ description: "The event, the same for all webhooks." }),
    correlationId: Schema.NullOr(Schema.String).annotate({
      description: "The correlation id of the call that caused the event. Null if no call did."
    }),
    sequence: Schema.Int.annotate({
      description: "Increases with each event about the same resource. Deliveries can arrive in another order."
    }),
    data: Schema.Struct(data)
  })

const credential = Schema.Struct({
  id: CredentialId,
  type: Schema.Literal("credential"),
  credentialType: CodeOfType,
  owners: Owners
})

const verification = Schema.Struct({
  eligibility: EligibilityWord,
  statusDetail: StatusDetailWord,
  expiryDate: Schema.NullOr(Schema.String.annotate({ format: "date" })),
  errorMessage: Schema.NullOr(Schema.String).annotate({
    description: "Why there is no verdict. Null if there is one."
  }),
  requestId: Schema.String.annotate({ description: "The `X-Request-Id` of the requesting call." }),
  trigger: Schema.Literals(triggers).annotate({ description: "What started the verification." }),
  verifiedAt: time
})

const status = Schema.Literal("COMPLETED")

/** The body of each kind of event, as `payloadOf` writes it. */
export const eventBodies = {
  "credential.created": bodyOf("credential.created", { credential }),
  "credential.updated": bodyOf("credential.updated", { credential }),
  "credential.verified": bodyOf("credential.verified", { credential, verification }),
  "recruitmentCheck.completed": bodyOf("recruitmentCheck.completed", {
    recruitmentCheck: Schema.Struct({
      id: RecruitmentCheckId,
      type: Schema.Literal("credentialCheck"),
      status,
      applicant: Schema.Struct({ id: ApplicantId })
    })
  }),
  "fetchRequest.completed": bodyOf("fetchRequest.completed", {
    fetchRequest: Schema.Struct({
      id: FetchRequestId,
      type: Schema.Literal("captureRequest"),
      status,
      worker: Schema.Struct({ id: WorkerId })
    })
  }),
  "webhook.test": bodyOf("webhook.test", {
    webhook: Schema.Struct({ id: WebhookId, type: Schema.Literal("webhook") })
  })
} as const satisfies Readonly<Record<EventKind, Schema.Top>>
