import { Schema } from "effect"
import { enumeration } from "../resource/Enumeration.ts"

/** The verdicts of a verification: each eligibility with its status details (DECISIONS.md#fields). */
export const statusDetails = {
  MAY_ENGAGE: ["VALID", "VALID_EXPIRING"],
  MAY_NOT_ENGAGE: [
    "EXPIRED",
    "SUSPENDED",
    "CANCELLED",
    "REVOKED",
    "SURRENDERED",
    "BARRED",
    "INTERIM_BARRED",
    "NEGATIVE_NOTICE",
    "EXCLUDED",
    "WITHDRAWN",
    "NOT_FOUND",
    "NAME_MISMATCH",
    "DETAILS_MISMATCH"
  ],
  REVIEW_REQUIRED: [
    "APPLICATION_IN_PROGRESS",
    "CONDITIONAL",
    "VOLUNTEER_ONLY",
    "POSSIBLE_MATCH",
    "MANUAL_REVIEW_REQUIRED",
    "DETAILS_MISSING"
  ],
  IN_PROGRESS: ["PENDING", "QUEUED_MANUAL"],
  ERROR: ["SOURCE_UNAVAILABLE", "SOURCE_TIMEOUT", "SOURCE_NOT_CONFIGURED", "INTERNAL_ERROR"]
} as const

export type Eligibility = keyof typeof statusDetails
export type StatusDetail = (typeof statusDetails)[Eligibility][number]
export const eligibilities = Object.keys(statusDetails) as ReadonlyArray<Eligibility>

export const EligibilityWord = enumeration("Eligibility", eligibilities)
export const StatusDetailWord = enumeration(
  "StatusDetail",
  eligibilities.flatMap((eligibility): ReadonlyArray<StatusDetail> => statusDetails[eligibility])
)

/** The verdict in answers and events. */
export const verdictFields = {
  eligibility: EligibilityWord.annotateKey({
    description: "Whether the owner may be engaged; only MAY_ENGAGE is a clearance. IN_PROGRESS: no verdict yet."
  }),
  statusDetail: StatusDetailWord.annotateKey({
    description: "Reason of `eligibility`, for people. Each value belongs to one eligibility."
  })
}

/** The description of `expiryDate` beside a verdict. */
export const expiryDateText =
  "Last valid day from the register, else as declared in the credential. Null if unknown, or while the verdict is open."

export const errorMessage = Schema.NullOr(Schema.String).annotate({
  description: "Why the register gave no verdict, for people. Null if there is a verdict or it is still open."
})

/** The eligibility of a status detail. */
export const eligibilityOf = (detail: StatusDetail): Eligibility => {
  const found = eligibilities.find((eligibility) =>
    (statusDetails[eligibility] as ReadonlyArray<StatusDetail>).includes(detail)
  )
  if (found === undefined) throw new RangeError(`no eligibility has the detail ${detail}`)
  return found
}

/** An eligibility and one of its status details. */
export interface Verdict {
  readonly eligibility: Eligibility
  readonly statusDetail: StatusDetail
}

/** The verdict with this status detail. */
export const verdictOf = (statusDetail: StatusDetail): Verdict => ({
  eligibility: eligibilityOf(statusDetail),
  statusDetail
})

/** The verdict before a register was asked. */
export const pending: Verdict = verdictOf("PENDING")

/** The verdict while a person has to decide. */
export const queuedManual: Verdict = verdictOf("QUEUED_MANUAL")

/** A status detail that a register or a reviewer can give. */
export type ConclusiveDetail = Exclude<
  (typeof statusDetails)["MAY_ENGAGE" | "MAY_NOT_ENGAGE" | "REVIEW_REQUIRED"][number],
  "DETAILS_MISSING"
>

const isGiven = (detail: StatusDetail): detail is ConclusiveDetail => detail !== "DETAILS_MISSING"

/** The status details that a register or a reviewer can give. */
export const conclusiveDetails: ReadonlyArray<ConclusiveDetail> = [
  ...statusDetails.MAY_ENGAGE,
  ...statusDetails.MAY_NOT_ENGAGE,
  ...statusDetails.REVIEW_REQUIRED
].filter(isGiven)

/** Whether a register or a reviewer gave the verdict: neither pending, nor an error, nor a question that was not asked. */
export const isConclusive = ({ statusDetail }: Verdict): boolean =>
  (conclusiveDetails as ReadonlyArray<StatusDetail>).includes(statusDetail)

/** The verdict of a credential past its expiry date. No register is asked. */
export const lapsed: Verdict = verdictOf("EXPIRED")
