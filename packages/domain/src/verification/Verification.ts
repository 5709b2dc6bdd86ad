import { enumeration } from "../resource/Enumeration.ts"

/** What a verification says of a person's engagement, with the details that each can have (DECISIONS.md#fields). */
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
    "MANUAL_REVIEW_REQUIRED"
  ],
  IN_PROGRESS: ["PENDING", "QUEUED_MANUAL"],
  ERROR: ["SOURCE_UNAVAILABLE", "SOURCE_TIMEOUT", "INTERNAL_ERROR"]
} as const

export type Eligibility = keyof typeof statusDetails
export type StatusDetail = (typeof statusDetails)[Eligibility][number]
export const eligibilities = Object.keys(statusDetails) as ReadonlyArray<Eligibility>

export const EligibilityWord = enumeration("Eligibility", eligibilities)
export const StatusDetailWord = enumeration(
  "StatusDetail",
  eligibilities.flatMap((eligibility): ReadonlyArray<StatusDetail> => statusDetails[eligibility])
)

/** Each detail stands under exactly one eligibility. */
export const eligibilityOf = (detail: StatusDetail): Eligibility => {
  const found = eligibilities.find((eligibility) =>
    (statusDetails[eligibility] as ReadonlyArray<StatusDetail>).includes(detail)
  )
  if (found === undefined) throw new RangeError(`no eligibility has the detail ${detail}`)
  return found
}

/** A verdict: two words that belong together. */
export interface Verdict {
  readonly eligibility: Eligibility
  readonly statusDetail: StatusDetail
}

/** The verdict that a detail belongs to. */
export const verdictOf = (statusDetail: StatusDetail): Verdict => ({
  eligibility: eligibilityOf(statusDetail),
  statusDetail
})

/** Nothing was asked of a register yet. */
export const pending: Verdict = verdictOf("PENDING")

/** A person will decide. */
export const queuedManual: Verdict = verdictOf("QUEUED_MANUAL")

const conclusive: ReadonlyArray<Eligibility> = ["MAY_ENGAGE", "MAY_NOT_ENGAGE", "REVIEW_REQUIRED"]

/** The details that a register, or a person in its place, can give. */
export const conclusiveDetails: ReadonlyArray<StatusDetail> = conclusive.flatMap(
  (eligibility): ReadonlyArray<StatusDetail> => statusDetails[eligibility]
)

/** Whether a register, or a person in its place, has said this: nothing is awaited, and nothing went wrong. */
export const isConclusive = ({ eligibility }: Verdict): boolean => conclusive.includes(eligibility)

/** What a credential past its expiry date says, without a register being asked. */
export const lapsed: Verdict = verdictOf("EXPIRED")
