import type { WorkerType } from "../people/Worker.ts"
import type { Stored } from "../resource/Resource.ts"
import { letsEngage, reviewOf } from "./Clearance.ts"
import { type CredentialFields, readOn } from "./Credential.ts"
import { type ExemptionFields, isInForceOn } from "./Exemption.ts"
import { type Eligibility, eligibilityOf, isConclusive, type StatusDetail, verdictOf } from "./Verification.ts"

/** The credentials and exemptions of one person, without deleted ones. */
export interface Holdings {
  readonly credentials: ReadonlyArray<Stored<CredentialFields>>
  readonly exemptions: ReadonlyArray<Stored<ExemptionFields>>
}

export const noHoldings: Holdings = { credentials: [], exemptions: [] }

/** The maximum number of credentials of one person that an evaluation reads. The same limit applies to exemptions. */
export const heldLimit = 1000

/** The same for a decision in a transaction, during which an embedded store can do nothing else. */
export const decidedLimit = 200

/**
 * The maximum number of credentials of each type that a decision reads if it needs so many types. Credentials of one
 * type never displace those of another.
 */
export const decidedLimitOfType = (types: number): number => Math.max(1, Math.floor(decidedLimit / types))

/** Returns the exemptions in force on a day. */
export const inForce = ({ exemptions }: Holdings, today: string): ReadonlyArray<ExemptionFields> =>
  exemptions.map(({ fields }) => fields).filter((fields) => isInForceOn(fields, today))

/**
 * Returns the credential types satisfied on a day. A credential whose owner may engage satisfies its type; an
 * exemption in force satisfies the types that it names.
 */
export const satisfiedTypes = (holdings: Holdings, today: string, workerType?: WorkerType): ReadonlySet<string> =>
  new Set([
    ...holdings.credentials
      .map((credential) => readOn(credential, today).fields)
      .filter((read) => letsEngage(read, workerType))
      .map(({ attributes }) => attributes.credentialType),
    ...inForce(holdings, today).flatMap(({ exemptedCredentialTypes = [] }) => exemptedCredentialTypes)
  ])

/** Returns the credential types whose card of the person needs a review, each with the reason. */
export const reviewsIn = (
  holdings: Holdings,
  today: string,
  workerType?: WorkerType
): ReadonlyMap<string, StatusDetail> =>
  new Map(
    holdings.credentials.flatMap((credential) => {
      const { fields } = readOn(credential, today)
      const statusDetail = reviewOf(fields, workerType)
      return statusDetail === undefined ? [] : [[fields.attributes.credentialType, statusDetail] as const]
    })
  )

/** A card of a person that does not count for its type, and why. */
export type FailingCredential = {
  readonly id: string
  readonly credentialType: string
  readonly statusDetail: StatusDetail
  /** Since when the register says so, or a person decided about a valid card (RFC 3339), if it is known. */
  readonly since?: string
  /** The last valid day of a card that has expired. */
  readonly expiryDate?: string
}

const gravest: ReadonlyArray<Eligibility> = ["MAY_NOT_ENGAGE", "MAY_ENGAGE", "REVIEW_REQUIRED", "ERROR", "IN_PROGRESS"]

/**
 * The rank of a card: a bar is what an officer has to know first, then a valid card that a decision bars. A card that has
 * expired comes last.
 */
const rankOf = ({ statusDetail }: FailingCredential): number =>
  statusDetail === "EXPIRED" ? gravest.length : gravest.indexOf(eligibilityOf(statusDetail))

/** A credential, as `readOn` returns it, that does not count. A review that it needs counts more than its verdict. */
const failingOf = ({ fields, id }: Stored<CredentialFields>, review: StatusDetail | undefined): FailingCredential => {
  const {
    credentialType,
    decision,
    eligibility,
    expiryDate,
    lastVerifiedAt,
    statusDetail: verdict = "PENDING",
    statusSince
  } = fields.attributes
  const statusDetail = review ?? verdict
  if (statusDetail === "EXPIRED") return { id, credentialType, statusDetail, ...(expiryDate ? { expiryDate } : {}) }
  // Only a decision keeps a valid card from counting.
  if (review === undefined && eligibility === "MAY_ENGAGE" && decision !== undefined)
    return { id, credentialType, statusDetail, since: decision.decidedAt }
  // The last verdict is the earliest known time of a credential that an earlier release stored.
  const known = statusSince ?? (isConclusive(verdictOf(verdict)) ? lastVerifiedAt : undefined)
  const since = statusDetail === verdict ? known : undefined
  return { id, credentialType, statusDetail, ...(since === undefined ? {} : { since }) }
}

/** Returns for each type the gravest card that does not count on a day: of equal ones, the newest. */
export const failingIn = (
  holdings: Holdings,
  today: string,
  workerType?: WorkerType
): ReadonlyMap<string, FailingCredential> => {
  const found = new Map<string, FailingCredential>()
  for (const credential of holdings.credentials) {
    const read = readOn(credential, today)
    if (letsEngage(read.fields, workerType)) continue
    const failing = failingOf(read, reviewOf(read.fields, workerType))
    const before = found.get(failing.credentialType)
    if (before === undefined || rankOf(failing) <= rankOf(before)) found.set(failing.credentialType, failing)
  }
  return found
}
