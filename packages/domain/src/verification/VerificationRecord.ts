import { Schema } from "effect"
import type { Series } from "../resource/Series.ts"
import { type Instant, toRfc3339, toRfc3339OrNull } from "../shared/Instant.ts"
import { EligibilityWord, pending, StatusDetailWord, type Verdict } from "./Verification.ts"

/** What a verification was begun by (DECISIONS.md#webhooks). */
export const triggers = ["create", "update", "verify", "scan"] as const
export type Trigger = (typeof triggers)[number]

/** What a verification has come to. */
export interface Outcome extends Verdict {
  /** `YYYY-MM-DD`: the register's, else the credential's own, else null (DECISIONS.md#verification). */
  readonly expiryDate: string | null
  /** Why there is no verdict; null where there is one. */
  readonly errorMessage: string | null
  readonly verifiedAt: Instant
}

/** One call for a verification. Several of a credential that are open at once share one question to the register. */
export interface VerificationDraft {
  readonly id: string
  readonly credentialId: string
  readonly correlationId: string
  /** The id of the request that asked for it. */
  readonly requestId: string
  readonly trigger: Trigger
  /** URN of the account that requested the verification. */
  readonly account: string
  readonly requestedAt: Instant
  /** Null as long as it is open. */
  readonly outcome: Outcome | null
}

/** A verification as the history of a credential shows it. */
export const VerificationDocument = Schema.Struct({
  id: Schema.String,
  type: Schema.Literal("verification"),
  credentialId: Schema.String,
  correlationId: Schema.String,
  requestId: Schema.String,
  trigger: Schema.Literals(triggers),
  account: Schema.String.annotate({ description: "URN of the account that requested the verification." }),
  eligibility: EligibilityWord,
  statusDetail: StatusDetailWord,
  expiryDate: Schema.NullOr(Schema.String.annotate({ format: "date" })),
  errorMessage: Schema.NullOr(Schema.String),
  requestedAt: Schema.String.annotate({ format: "date-time" }),
  verifiedAt: Schema.NullOr(Schema.String.annotate({ format: "date-time" })).annotate({
    description: "Time of the verdict. Null while it is pending."
  })
})
export type VerificationDocument = typeof VerificationDocument.Type

/** A verification as it is shown. */
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

/** The verifications of one credential, in the order in which they were asked for. */
export const verifications: Series<never> = { type: "credential", filters: {}, ends: false }
