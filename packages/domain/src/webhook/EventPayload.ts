import { Schema } from "effect"
import type { StoredEvent } from "../audit/EventStore.ts"
import { Reason } from "../erasure/Erasure.ts"
import type { EventKind } from "../event/EventKind.ts"
import { CodeOfType } from "../holding/CredentialType.ts"
import { errorMessage, expiryDateText, verdictFields } from "../holding/Verification.ts"
import { TriggerField } from "../holding/VerificationRecord.ts"
import { Owners } from "../ownership/Ownership.ts"
import { time, typeField } from "../resource/ShownFields.ts"
import { Cause, results } from "../screening/KeptCompliance.ts"
import {
  ApplicantId,
  Code,
  CredentialId,
  DeliveryId,
  FetchRequestId,
  idSchema,
  RecruitmentCheckId,
  WebhookId,
  WorkerId
} from "../shared/Id.ts"
import { CalendarDate, toRfc3339 } from "../shared/Instant.ts"

/**
 * The body of a delivery (DECISIONS.md#webhooks). It is stored, signed and sent unchanged. It has ids and verdicts, but
 * no names, dates of birth or card numbers.
 */
export const payloadOf = (
  { at, correlationId, data, id, kind, sequence }: Omit<StoredEvent, "subjectId" | "about">,
  deliveryId: string
): string =>
  JSON.stringify({ type: kind, timestamp: toRfc3339(at), deliveryId, eventId: id, correlationId, sequence, data })

const bodyOf = <const Kind extends EventKind, Data extends Schema.Struct.Fields>(kind: Kind, data: Data) =>
  Schema.Struct({
    type: Schema.Literal(kind).annotate({ description: "Kind of the event, as in the header `x-service-event`." }),
    timestamp: time.annotate({ description: "When the event happened." }),
    deliveryId: DeliveryId.annotate({
      description: "The event for this webhook. The same in every attempt and redrive: deduplicate by it."
    }),
    eventId: idSchema("event").annotate({ description: "The event, the same for all webhooks." }),
    correlationId: Schema.NullOr(Schema.String).annotate({
      description:
        "Correlation id of the call that created the credential, started a verification or sent a ping. " +
        "Null for all other events."
    }),
    sequence: Schema.Int.annotate({
      description: "Increases with each event about the same resource. Deliveries can arrive in another order."
    }),
    data: Schema.Struct(data).annotate({
      description: "Ids, codes and verdicts. Read names and other personal data through the API."
    })
  })

const credential = Schema.Struct({
  id: CredentialId,
  type: typeField("credential"),
  credentialType: CodeOfType.annotateKey({ description: "Code of the credential type at the time of the event." }),
  owners: Owners.annotate({ description: "The two slots at the time of the event." })
}).annotate({ description: "The credential that the event is about." })

const verification = Schema.Struct({
  ...verdictFields,
  expiryDate: Schema.NullOr(Schema.String.annotate({ format: "date" })).annotate({ description: expiryDateText }),
  errorMessage,
  requestId: Schema.String.annotate({ description: "The `X-Request-Id` of the requesting call." }),
  trigger: TriggerField,
  verifiedAt: time.annotate({ description: "When the verdict was given, or when the last attempt failed." })
}).annotate({ description: "The finished verification: its verdict, or the reason why there is none." })

const expiry = Schema.Struct({
  expiryDate: Schema.String.annotate({ format: "date" }).annotate({ description: "Last valid day." }),
  daysLeft: Schema.Int.annotate({
    description: "Days from the day of the event to the last valid day, negative after it. Days are the tenant's."
  })
}).annotate({ description: "When the credential ends." })

const erasure = {
  worker: Schema.Struct({ id: WorkerId, type: typeField("worker") }).annotate({
    description: "The worker. After the erasure it is deleted, and has no name."
  }),
  erasure: Schema.Struct({
    reason: Reason.annotateKey({ description: "Why the worker is erased." }),
    dueOn: Schema.NullOr(CalendarDate).annotate({
      description:
        "Day on which an announced worker is erased, in the tenant's time zone. Null without an announcement."
    })
  }).annotate({ description: "The erasure, as `GET /erasures` lists it." })
}

const status = Schema.Literal("COMPLETED").annotate({
  description: "The final status: the person met all requirements at the same time."
})

const checkResult = Schema.Literals(results)

/** The body of each kind of event, as `payloadOf` writes it. */
export const eventBodies = {
  "credential.created": bodyOf("credential.created", { credential }),
  "credential.updated": bodyOf("credential.updated", { credential }),
  "credential.verified": bodyOf("credential.verified", { credential, verification }),
  "credential.expiring": bodyOf("credential.expiring", { credential, expiry }),
  "credential.expired": bodyOf("credential.expired", { credential, expiry }),
  "worker.erasing": bodyOf("worker.erasing", erasure),
  "worker.erased": bodyOf("worker.erased", erasure),
  "recruitmentCheck.completed": bodyOf("recruitmentCheck.completed", {
    recruitmentCheck: Schema.Struct({
      id: RecruitmentCheckId,
      type: typeField("credentialCheck"),
      status,
      applicant: Schema.Struct({ id: ApplicantId }).annotate({
        description: "The applicant that met the requirements."
      })
    }).annotate({ description: "The completed recruitment check." })
  }),
  "fetchRequest.completed": bodyOf("fetchRequest.completed", {
    fetchRequest: Schema.Struct({
      id: FetchRequestId,
      type: typeField("captureRequest"),
      status,
      worker: Schema.Struct({ id: WorkerId }).annotate({ description: "The worker that met the requirements." })
    }).annotate({ description: "The completed fetch request." })
  }),
  "worker.complianceChanged": bodyOf("worker.complianceChanged", {
    worker: Schema.Struct({ id: WorkerId, type: typeField("worker") }).annotate({
      description: "The worker whose result changed."
    }),
    complianceCheck: Schema.Struct({ id: Code, type: typeField("complianceCheck") }).annotate({
      description: "The check whose result changed."
    }),
    from: checkResult.annotate({ description: "The result before the change." }),
    to: checkResult.annotate({ description: "The result after the change." }),
    reason: Cause.annotate({
      description:
        "The newest cause: a credential, exemption, ban or the worker was changed, the definition of a check was " +
        "changed (CHECK), a card or an exemption began or ended (DAY), or a release of the service evaluates otherwise (RULES)."
    })
  }),
  "webhook.test": bodyOf("webhook.test", {
    webhook: Schema.Struct({ id: WebhookId, type: typeField("webhook") }).annotate({
      description: "The webhook under test."
    })
  })
} as const satisfies Readonly<Record<EventKind, Schema.Top>>
