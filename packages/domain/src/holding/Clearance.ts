import type { WorkerType } from "../people/Worker.ts"
import { type CredentialFields, isVerifiable } from "./Credential.ts"
import { type Verdict, verdictOf } from "./Verification.ts"

// Whether a person may work with a credential. Its number and its kind can say more than its verdict.

/** Whether a number is that of an application. It does not allow work in education (New South Wales). */
const isApplication = ({ attributes: { credentialType, identifier = "" } }: CredentialFields): boolean =>
  credentialType === "WWCC_NSW" && identifier.startsWith("APP")

/** Whether a card is for volunteers only: the last letter in New South Wales, the card type in Victoria. */
const isForVolunteers = ({
  attributes: { cardType = "", credentialType, identifier = "" }
}: CredentialFields): boolean =>
  (credentialType === "WWCC_NSW" && identifier.endsWith("V")) || (credentialType === "WWCC_VIC" && /^v/i.test(cardType))

const paid: ReadonlyArray<WorkerType | undefined> = ["EMPLOYEE", "CONTRACTOR"]

/**
 * The verdict on a credential, as `readOn` returns it, for a person who is engaged in this way. Undefined if the type
 * needs none. A clearance becomes a review if the number is that of an application, or if a card for volunteers is used
 * for paid work.
 */
export const verdictFor = (read: CredentialFields, workerType: WorkerType | undefined): Verdict | undefined => {
  const { statusDetail } = read.attributes
  const verdict = statusDetail === undefined ? undefined : verdictOf(statusDetail)
  if (verdict?.eligibility !== "MAY_ENGAGE") return verdict
  if (isApplication(read)) return verdictOf("APPLICATION_IN_PROGRESS")
  return isForVolunteers(read) && paid.includes(workerType) ? verdictOf("VOLUNTEER_ONLY") : verdict
}

/** Whether a person may work with a credential. A type that no register verifies needs no verdict. */
export const letsEngage = (read: CredentialFields, workerType?: WorkerType): boolean => {
  const verdict = verdictFor(read, workerType)
  return verdict === undefined ? !isVerifiable(read) : verdict.eligibility === "MAY_ENGAGE"
}
