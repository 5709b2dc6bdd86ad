import { engagementOf, type WorkerType } from "../people/Worker.ts"
import { type CredentialFields, isVerifiable } from "./Credential.ts"
import type { StatusDetail } from "./Verification.ts"

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
 * Why a credential, as `readOn` returns it, needs a review before a person who is engaged in this way may work with it.
 * Undefined if it needs none, or if no review can help. The number of an application needs one, and a card for volunteers
 * that is used for paid work, also while no register has answered.
 */
export const reviewOf = (read: CredentialFields, workerType?: WorkerType): StatusDetail | undefined => {
  const { eligibility, statusDetail } = read.attributes
  if (eligibility === "REVIEW_REQUIRED") return statusDetail
  if (eligibility === "MAY_NOT_ENGAGE") return undefined
  if (isApplication(read)) return "APPLICATION_IN_PROGRESS"
  return isForVolunteers(read) && engagementOf(workerType) === "PAID" ? "VOLUNTEER_ONLY" : undefined
}

/** Whether a person may work with a credential. A type that no register verifies needs no verdict. */
export const letsEngage = (read: CredentialFields, workerType?: WorkerType): boolean => {
  const { eligibility } = read.attributes
  if (eligibility === undefined) return !isVerifiable(read)
  return eligibility === "MAY_ENGAGE" && reviewOf(read, workerType) === undefined
}
