import { Schema } from "effect"
import type { Stored } from "../resource/Resource.ts"
import { createdAt, recordedRequestId, typeField } from "../resource/ShownFields.ts"
import type { Timeline } from "../resource/Timeline.ts"
import { type Instant, toRfc3339 } from "../shared/Instant.ts"
import { line } from "../shared/Text.ts"
import type * as Credential from "./Credential.ts"
import * as CredentialType from "./CredentialType.ts"

const dashed = (code: string): string => code.toLowerCase().replaceAll("_", "-")

/** Returns the catalogue code of a scan's `type`: the code itself, or its lower-case form with dashes, `wwcc-nsw`. */
export const codeOfType = (type: string): string | undefined =>
  CredentialType.find(type)?.code ?? CredentialType.codes.find((code) => dashed(code) === type)

/** The body of `POST scan` (§2.1). */
export const ScanRequest = Schema.Struct({
  type: Schema.String.check(
    Schema.makeFilter((type: string) => codeOfType(type) !== undefined, {
      toJsonSchema: () => ({ enum: CredentialType.codes.flatMap((code) => [code, dashed(code)]) })
    })
  ).annotate({
    valueFormat: "a code of the catalogue, such as WWCC_NSW or wwcc-nsw"
  }),
  identifier: line(100).annotateKey({
    description: "Number of the card or check. Letter case, spaces and hyphens do not matter."
  }),
  first_name: line(100).annotateKey({
    description:
      "First given name of the holder. Letter case, extra spaces and kinds of apostrophes and hyphens do not matter."
  }),
  surname: line(100).annotateKey({
    description:
      "Family name of the holder. Letter case, extra spaces and kinds of apostrophes and hyphens do not matter."
  })
})
export type ScanRequest = typeof ScanRequest.Type

/** The result of looking up the scan's type, identifier and name. */
export const scanOutcomes = [
  /** One credential, and its holder's name agrees. */
  "MATCHED",
  /** No credential. */
  "NO_CREDENTIAL",
  /** Several credentials. The scan does not say which one. */
  "SEVERAL_CREDENTIALS",
  /** One credential, whose holder has another name or none. */
  "NAME_DIFFERS"
] as const
export type ScanOutcome = (typeof scanOutcomes)[number]

/** The status that `POST scan` answers. */
export const scanStatuses = [
  /** The credential is verified again. */
  "queued",
  /** No credential is verified, and no record changes. */
  "unmatched",
  /** The type has no register, so nothing can be verified. */
  "not_verifiable"
] as const
export type ScanStatus = (typeof scanStatuses)[number]

/**
 * Returns the status of a scan. `unmatched` hides why nothing matched, and `not_verifiable` depends only on the type.
 * So a scan confirms a record only to a caller that already knows its identifier and its holder's name.
 */
export const statusOf = (credentialType: string, outcome: ScanOutcome): ScanStatus => {
  if (CredentialType.find(credentialType)?.verifiable !== true) return "not_verifiable"
  return outcome === "MATCHED" ? "queued" : "unmatched"
}

/** A stored scan. */
export interface Scan {
  /** Correlates later events with the scan. A ULID. */
  readonly correlationId: string
  readonly tenantId: string
  /** The code of the catalogue. */
  readonly credentialType: string
  readonly identifier: string
  readonly firstName: string
  readonly surname: string
  readonly status: ScanStatus
  readonly outcome: ScanOutcome
  /** The credential that matched. */
  readonly credentialId: string | null
  /** The account's URN. */
  readonly account: string
  readonly requestId: string
  readonly at: Instant
}

/** A scan on the newer surface. */
export const ScanDocument = Schema.Struct({
  id: Schema.String.annotate({ description: "Id of the scan, a ULID assigned by the server." }),
  type: typeField("scan"),
  correlationId: Schema.String.annotate({ description: "The correlation_id of the legacy response. Equal to id." }),
  status: Schema.Literals(scanStatuses).annotate({
    description:
      "queued: a verification of the credential has started. unmatched: nothing is verified. not_verifiable: no register covers this type."
  }),
  outcome: Schema.Literals(scanOutcomes).annotate({
    description: "The result of looking up the type, identifier and name."
  }),
  credentialType: Schema.String.annotate({ description: "Code of the credential type that `type` named." }),
  identifier: Schema.String.annotate({ description: "Number of the card or check, as submitted." }),
  firstName: Schema.String.annotate({ description: "`first_name` as submitted." }),
  lastName: Schema.String.annotate({ description: "`surname` as submitted." }),
  credentialId: Schema.NullOr(Schema.String).annotate({
    description: "Id of the credential that matched, `cred_…`. Null unless `outcome` is MATCHED."
  }),
  account: Schema.String.annotate({ description: "The URN of the account that submitted the scan." }),
  requestId: recordedRequestId,
  createdAt
})
export type ScanDocument = typeof ScanDocument.Type

export const documentOf = (scan: Scan): ScanDocument => ({
  id: scan.correlationId,
  type: "scan",
  correlationId: scan.correlationId,
  status: scan.status,
  outcome: scan.outcome,
  credentialType: scan.credentialType,
  identifier: scan.identifier,
  firstName: scan.firstName,
  lastName: scan.surname,
  credentialId: scan.credentialId,
  account: scan.account,
  requestId: scan.requestId,
  createdAt: toRfc3339(scan.at)
})

export type ScanField = "correlationId" | "identifier" | "credentialId" | "status"

/** A tenant's scans in the order of submission. */
export const scans: Timeline<ScanField> = {
  type: "scan",
  filters: { correlationId: undefined, identifier: undefined, credentialId: undefined, status: scanStatuses },
  cards: ["identifier"],
  ends: false,
  newestFirst: true
}

/**
 * Returns a name in the form by which two names agree: letter case, extra spaces, Unicode composition and the kinds of
 * apostrophes and hyphens make no difference. Accents do.
 */
const nameText = (name: string): string =>
  name
    .replace(/['’‘‛ʼʻʹ′`´]/gu, "'") // NFKC makes a space and an accent of an acute accent
    .normalize("NFKC")
    .replace(/[\p{Pd}−]/gu, "-")
    .replace(/\p{Cf}/gu, "")
    .trim()
    .replaceAll(/\s+/gu, " ")
    .toLowerCase()

const isSameName = (one: string | undefined, other: string): boolean =>
  one !== undefined && nameText(one) === nameText(other)

/** Returns the outcome of a scan. `found` has the first two credentials with its type and identifier. */
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
