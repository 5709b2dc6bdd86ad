import type { WorkerType } from "../people/Worker.ts"
import type { Stored } from "../resource/Resource.ts"
import { letsEngage, reviewOf } from "./Clearance.ts"
import { type CredentialFields, readOn } from "./Credential.ts"
import { type ExemptionFields, isInForceOn } from "./Exemption.ts"
import type { StatusDetail } from "./Verification.ts"

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
