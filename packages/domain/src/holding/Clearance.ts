import { engagementOf, type WorkerType } from "../people/Worker.ts"
import { type CredentialFields, isVerifiable } from "./Credential.ts"
import { renewsAnew } from "./CredentialType.ts"
import { barredBy, type Decision } from "./Decision.ts"
import { lapsed, type StatusDetail } from "./Verification.ts"

// Whether a person may work with a credential. Its number and its kind can say more than its verdict.

/** Whether a number is that of an application. It does not allow work in education (New South Wales). */
const isApplication = ({ attributes: { credentialType, identifier = "" } }: CredentialFields): boolean =>
  credentialType === "WWCC_NSW" && identifier.startsWith("APP")

/** Whether a card is for volunteers only: the last letter in New South Wales, the card type in Victoria. */
const isForVolunteers = ({
  attributes: { cardType = "", credentialType, identifier = "" }
}: CredentialFields): boolean =>
  (credentialType === "WWCC_NSW" && identifier.endsWith("V")) || (credentialType === "WWCC_VIC" && /^v/i.test(cardType))

/**
 * The questions that a credential, as `readOn` returns it, leaves to a person before somebody who is engaged in this way
 * may work with it. Empty if the register refused. The number of an application asks one, and so does a card for volunteers
 * that is used for paid work, also while no register has answered.
 */
const reviewsOf = (read: CredentialFields, workerType?: WorkerType): ReadonlyArray<StatusDetail> => {
  const { eligibility, statusDetail } = read.attributes
  if (eligibility === "MAY_NOT_ENGAGE") return []
  const asked = new Set<StatusDetail>()
  if (eligibility === "REVIEW_REQUIRED" && statusDetail !== undefined) asked.add(statusDetail)
  if (isApplication(read)) asked.add("APPLICATION_IN_PROGRESS")
  if (isForVolunteers(read) && engagementOf(workerType) === "PAID") asked.add("VOLUNTEER_ONLY")
  return [...asked]
}

/** The questions that a person can decide, decided or not: an expired card that renews anew is one, too. */
export const questionsOf = (read: CredentialFields, workerType?: WorkerType): ReadonlyArray<StatusDetail> => {
  const { credentialType, statusDetail } = read.attributes
  return statusDetail === lapsed.statusDetail && renewsAnew(credentialType)
    ? [statusDetail]
    : reviewsOf(read, workerType)
}

/** The decision that answers all these questions, if one is in force. */
export const decisionOn = (
  { attributes: { decision } }: CredentialFields,
  questions: ReadonlyArray<StatusDetail>
): Decision | undefined =>
  decision !== undefined && questions.every((question) => decision.about.includes(question)) ? decision : undefined

/** Why a credential, as `readOn` returns it, needs a review. Undefined if it needs none, or a person has decided. */
export const reviewOf = (read: CredentialFields, workerType?: WorkerType): StatusDetail | undefined => {
  const reviews = reviewsOf(read, workerType)
  return decisionOn(read, reviews) === undefined ? reviews[0] : undefined
}

/**
 * Whether a person may work with a credential. A type that no register verifies needs no verdict. A decision can allow
 * what a register left to a review, and nothing that a register refused or has not answered. One that the person may not
 * be engaged outranks each verdict.
 */
export const letsEngage = (read: CredentialFields, workerType?: WorkerType): boolean => {
  const { eligibility } = read.attributes
  if (eligibility === undefined) return !isVerifiable(read)
  if (barredBy(read.attributes.decision).length > 0) return false
  if (eligibility !== "MAY_ENGAGE" && eligibility !== "REVIEW_REQUIRED") return false
  const reviews = reviewsOf(read, workerType)
  return reviews.length === 0 ? eligibility === "MAY_ENGAGE" : decisionOn(read, reviews)?.outcome === "MAY_ENGAGE"
}
