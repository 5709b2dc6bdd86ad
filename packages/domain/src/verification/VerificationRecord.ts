import { Schema } from "effect"
import type { Series } from "../resource/Series.ts"
import { type Instant, toRfc3339, toRfc3339OrNull } from "../shared/Instant.ts"
import { EligibilityWord, pending, StatusDetailWord, type Verdict } from "./Verification.ts"

/** The kinds of call that start a verification (DECISIONS.md#webhooks). */
export const triggers = ["create", "update", "verify", "scan"] as const
export type Trigger = (typeof triggers)[number]

/** The result of a verification. */
export interface Outcome extends Verdict {
  /** `YYYY-MM-DD`: from the register, else from the credential, else null (DECISIONS.md#verification). */
  readonly expiryDate: string | null
  /** Why there is no verdict; null when there is one. */
  readonly errorMessage: string | null
  readonly verifiedAt: Instant
}

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
}

/** A verification in the history of a credential. */
export const VerificationDocument = Schema.Struct({
  id: Schema.String,
  type: Schema.Literal("verification"),
  credentialId: Schema.String,
  correlationId: Schema.String,
  requestId: Schema.String,
  trigger: Schema.Literals(triggers),
  account: Schema.String.annotate({ description: "The URN of the requesting account." }),
  eligibility: EligibilityWord,
  statusDetail: StatusDetailWord,
  expiryDate: Schema.NullOr(Schema.String.annotate({ format: "date" })),
  errorMessage: Schema.NullOr(Schema.String),
  requestedAt: Schema.String.annotate({ format: "date-time" }),
  verifiedAt: Schema.NullOr(Schema.String.annotate({ format: "date-time" })).annotate({
    description: "When the verdict was given; null while the verification is open."
  })
})
export type VerificationDocument = typeof VerificationDocument.Type

/** The verification as the API shows it. */
export const documentOf = ({
  account,
  correlationId,
  credentialId,
  id,
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
    verifiedAt: toRfc3339OrNull(outcome?.verifiedAt ?? null)
  }
}

/** The verifications of one credential, in order of request. */
export const verifications: Series<never> = { type: "credential", filters: {}, ends: false }
