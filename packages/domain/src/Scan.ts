import { Schema } from "effect"
import type * as Credential from "./Credential.ts"
import * as CredentialType from "./CredentialType.ts"
import type { Instant } from "./Instant.ts"
import type { Stored } from "./Resource.ts"
import { line } from "./Text.ts"

/** The code that a scan's `type` says: the catalogue's, or its lower-case dashed form, `wwcc-nsw` (decisions, 2). */
export const codeOfType = (type: string): string | undefined =>
  CredentialType.find(type)?.code ??
  CredentialType.codes.find((code) => code.toLowerCase().replaceAll("_", "-") === type)

/** The body of `POST scan` (section 2.1). */
export const ScanRequest = Schema.Struct({
  type: Schema.String.check(
    Schema.makeFilter((type: string) => codeOfType(type) !== undefined || "is no known type of check")
  ),
  identifier: line(100),
  first_name: line(100),
  surname: line(100)
})
export type ScanRequest = typeof ScanRequest.Type

/** What a scan came upon. */
export const scanOutcomes = [
  /** One credential has the type and identifier, and its holder's name agrees. */
  "MATCHED",
  /** None has. */
  "NO_CREDENTIAL",
  /** Several have: it is not said which is meant. */
  "SEVERAL_CREDENTIALS",
  /** One has, of somebody with another name, or of nobody who is named. */
  "NAME_DIFFERS"
] as const
export type ScanOutcome = (typeof scanOutcomes)[number]

/** A scan as it is kept: who asked for what, and what it came upon. */
export interface Scan {
  /** Ties later events to it: a ULID. */
  readonly correlationId: string
  readonly tenantId: string
  /** The code of the catalogue. */
  readonly credentialType: string
  readonly identifier: string
  readonly firstName: string
  readonly surname: string
  readonly outcome: ScanOutcome
  /** The credential that it is about, where one matched. */
  readonly credentialId: string | null
  /** The account's URN. */
  readonly account: string
  readonly requestId: string
  readonly at: Instant
}

/** A name as it is compared: letter case, spaces around and within, and composition apart. */
const folded = (name: string): string => name.normalize("NFKC").trim().replaceAll(/\s+/gu, " ").toLowerCase()

const isSameName = (one: string | undefined, other: string): boolean =>
  one !== undefined && folded(one) === folded(other)

/** What a scan comes upon among the credentials, at most two of them, that have its type and identifier. */
export const match = (
  { first_name, surname }: Pick<ScanRequest, "first_name" | "surname">,
  found: ReadonlyArray<Stored<Credential.CredentialFields>>
): Pick<Scan, "outcome" | "credentialId"> => {
  const [credential, another] = found
  if (credential === undefined) return { outcome: "NO_CREDENTIAL", credentialId: null }
  if (another !== undefined) return { outcome: "SEVERAL_CREDENTIALS", credentialId: null }
  const { holder } = credential.fields.attributes
  return isSameName(holder?.firstName, first_name) && isSameName(holder?.lastName, surname)
    ? { outcome: "MATCHED", credentialId: credential.id }
    : { outcome: "NAME_DIFFERS", credentialId: null }
}
