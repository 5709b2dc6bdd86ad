import { Schema } from "effect"
import { recordedRequestId, time, timeOrNull, typeField } from "../resource/ShownFields.ts"
import type { Timeline } from "../resource/Timeline.ts"
import { CalendarDate, type Instant, toRfc3339, toRfc3339OrNull } from "../shared/Instant.ts"
import { line } from "../shared/Text.ts"
import { errorMessage, expiryDateText, pending, type Verdict, verdictFields } from "./Verification.ts"

/** What starts a verification (DECISIONS.md#webhooks): a call, a new bar on another card of the person, a notice, or a schedule. */
const triggers = ["create", "update", "verify", "scan", "bar", "notice", "schedule"] as const
export type Trigger = (typeof triggers)[number]

export const TriggerField = Schema.Literals(triggers).annotate({
  description:
    "The call that started the verification. `scan` is a call of the legacy surface. `bar` is no call: another card of " +
    "the same owner was barred. `notice`: a person recorded a notice of the register. " +
    "`schedule`: the interval of the verification source."
})

/** The result of a verification. */
export interface Outcome extends Verdict {
  /** `YYYY-MM-DD`: from the register, else from the credential, else null (DECISIONS.md#verification). */
  readonly expiryDate: string | null
  /** Why there is no verdict; null when there is one. */
  readonly errorMessage: string | null
  readonly verifiedAt: Instant
}

/** A notice that a register sent to the employer, for example by letter. */
export const Notice = Schema.Struct({
  issuedOn: CalendarDate.annotateKey({ description: "Date of the notice. Not in the future." }),
  reference: line(200).annotateKey({ description: "The register's reference, as printed on the notice." })
})
export type Notice = typeof Notice.Type

/** One request for a verification. Open requests for the same credential share one query to the register. */
export interface VerificationDraft {
  readonly id: string
  readonly credentialId: string
  readonly correlationId: string
  /** The request id of the call. */
  readonly requestId: string
  readonly trigger: Trigger
  /** The URN of the requesting account. */
  readonly account: string
  readonly requestedAt: Instant
  /** Null while open. */
  readonly outcome: Outcome | null
  /** Present if a person recorded a notice of the register. */
  readonly notice?: Notice
}

/** A verification in the history of a credential. */
export const VerificationDocument = Schema.Struct({
  id: Schema.String.annotate({ description: "Id of the verification, `vrf_…`, assigned by the server." }),
  type: typeField("verification"),
  credentialId: Schema.String.annotate({ description: "Id of the verified credential, `cred_…`." }),
  correlationId: Schema.String.annotate({
    description: "Correlation id of the call that requested it. The `credential.verified` event has the same id."
  }),
  requestId: recordedRequestId,
  trigger: TriggerField,
  account: Schema.String.annotate({ description: "The URN of the requesting account." }),
  ...verdictFields,
  expiryDate: Schema.NullOr(Schema.String.annotate({ format: "date" })).annotate({ description: expiryDateText }),
  errorMessage,
  requestedAt: time.annotate({ description: "When the verification was requested." }),
  verifiedAt: timeOrNull("When the verdict was given; null while the verification is open."),
  notice: Schema.optionalKey(Notice).annotateKey({
    description: "The notice of the register that a person recorded. Absent if the register was asked."
  })
})
export type VerificationDocument = typeof VerificationDocument.Type

/** The verification as the API shows it. */
export const documentOf = ({
  account,
  correlationId,
  credentialId,
  id,
  notice,
  outcome,
  requestedAt,
  requestId,
  trigger
}: VerificationDraft): VerificationDocument => {
  const { eligibility, statusDetail } = outcome ?? pending
  return {
    id,
    type: "verification",
    credentialId,
    correlationId,
    requestId,
    trigger,
    account,
    eligibility,
    statusDetail,
    expiryDate: outcome?.expiryDate ?? null,
    errorMessage: outcome?.errorMessage ?? null,
    requestedAt: toRfc3339(requestedAt),
    verifiedAt: toRfc3339OrNull(outcome?.verifiedAt ?? null),
    ...(notice === undefined ? {} : { notice })
  }
}

/** The verifications of one credential, in order of request. */
export const verifications: Timeline<never> = { type: "credential", filters: {}, ends: false }
