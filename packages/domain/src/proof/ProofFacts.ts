import { Schema } from "effect"
import { RecordVersion, type VersionKey } from "../audit/RecordVersion.ts"
import { rowOf, VerificationRow } from "../credential/VerificationReport.ts"
import { Ban, type BanFields } from "../holding/Ban.ts"
import { Credential, type CredentialFields, readOn } from "../holding/Credential.ts"
import { Decision } from "../holding/Decision.ts"
import { Exemption, type ExemptionFields, isInForceOn } from "../holding/Exemption.ts"
import { StatusDetailWord } from "../holding/Verification.ts"
import { ownerColumns } from "../people/Owner.ts"
import { Worker, type WorkerFields } from "../people/Worker.ts"
import type { Resource, Stored } from "../resource/Resource.ts"
import { ComplianceCheck, type ComplianceCheckFields } from "../screening/ComplianceCheck.ts"
import { bansThatCount, judge, kindsOf, withBans } from "../screening/ComplianceEvaluation.ts"
import { CalendarDate, type Instant } from "../shared/Instant.ts"
import { type JsonObject, put } from "../shared/Json.ts"

const { Array: List, Int, NullOr, String: Text } = Schema

/** Whether a version of a record is sealed. */
const coverages = ["SEALED", "SEALED_LATER", "PENDING", "NOT_SEALED"] as const

/** The maximum time from a version to its seal. Seals are made every few seconds, and later after an outage. */
const soonMillis = 3_600_000

/**
 * Returns the coverage of a version with a seal. A seal shows that the version was there when the seal was made. One that
 * was made long after the version, and after the time asked for, does not show that it was there at that time.
 */
export const coverageOf = (
  { updatedAt }: Pick<RecordVersion, "updatedAt">,
  sealedAt: Instant,
  asOf: Instant
): "SEALED" | "SEALED_LATER" => (sealedAt - updatedAt <= soonMillis || sealedAt <= asOf ? "SEALED" : "SEALED_LATER")

/** A version of a record in a proof, with its seal. */
export const ProofRecord = Schema.Struct({
  ...RecordVersion.fields,
  coverage: Schema.Literals(coverages).annotate({
    description:
      "SEALED: `seal` names this version, and was made within an hour of it, or by `asOf`. SEALED_LATER: `seal` was made " +
      "after that, so it does not show that the version was there at `asOf`. PENDING: the next seal will name it. " +
      "NOT_SEALED: none does."
  }),
  seal: NullOr(Int).annotate({ description: "Number of the seal with the digest of this version. Null if none has." }),
  salt: Text.annotate({ description: "Random text that the digest also covers. Empty without a seal." })
})
export type ProofRecord = typeof ProofRecord.Type

const sealed = {
  isSealed: Schema.Boolean.annotate({ description: "Whether every record that this follows from is SEALED." })
}

/** The six facts of a card, and the decision in force. */
export const ProvenCard = Schema.Struct({
  ...VerificationRow.fields,
  decision: NullOr(Decision).annotate({ description: "The decision of a person that was in force. Null if none was." }),
  ...sealed
})
export type ProvenCard = typeof ProvenCard.Type

/** An exemption that was in force. */
export const ProvenExemption = Schema.Struct({
  id: Text.annotate({ description: "Id of the exemption." }),
  exemptionType: Text.annotate({ description: "Kind of exemption, in the caller's words." }),
  exemptedCredentialTypes: List(Text).annotate({ description: "Codes of the types that need not be held." }),
  issueDate: NullOr(CalendarDate).annotate({ description: "First valid day. Null if it has no start." }),
  expiryDate: NullOr(CalendarDate).annotate({ description: "Last valid day. Null if it has no end." }),
  grantedBy: NullOr(Text).annotate({ description: "Person or body that granted it. Null if unknown." }),
  reason: NullOr(Text).annotate({ description: "Why the person is exempt. Null if unknown." }),
  ...sealed
})

const code = Text.annotate({ description: "Code of the credential type." })

/** The verdict of a compliance check, and why. */
export const ProvenCheck = Schema.Struct({
  complianceCheckId: Text.annotate({ description: "Code of the compliance check." }),
  displayName: Text.annotate({ description: "Name of the check." }),
  result: Schema.Literals(["PASS", "FAIL"]).annotate({ description: "Result of the check on that day." }),
  missingCredentialTypes: List(Text).annotate({ description: "Codes of the types that were not satisfied." }),
  reviews: List(
    Schema.Struct({
      credentialType: code,
      statusDetail: StatusDetailWord.annotateKey({ description: "Why a review was needed." })
    })
  ).annotate({ description: "The missing types whose card needed a review." }),
  failingCredentials: List(
    Schema.Struct({
      credentialType: code,
      id: Text.annotate({ description: "Id of the credential." }),
      statusDetail: Text.annotate({ description: "Why the card did not count." }),
      since: NullOr(Text).annotate({ description: "Since when, if it is known. Null if not." }),
      expiryDate: NullOr(CalendarDate).annotate({ description: "Last valid day of an expired card. Null for others." })
    })
  ).annotate({ description: "The cards that did not count." }),
  bans: List(
    Schema.Struct({
      id: Text.annotate({ description: "URN of the ban." }),
      eligibility: Text.annotate({ description: "Outcome of the ban." })
    })
  ).annotate({ description: "The bans that failed the check." }),
  ...sealed
})

/**
 * The version of `Facts` and `factsOf`, besides `rulesVersion`. Raise it when either changes: a check then reads what earlier
 * files state, and does not compute it again.
 */
export const factsVersion = 1

/** All that follows from the records of a worker on a day. */
export const Facts = Schema.Struct({
  cards: List(ProvenCard).annotate({
    description: "A row for each card that the worker held, or one without a card: the six facts, as in the report."
  }),
  checks: List(ProvenCheck).annotate({
    description: "The result of each compliance check that was enabled. Empty for an erased person."
  }),
  exemptions: List(ProvenExemption).annotate({ description: "The exemptions that were in force." })
})
export type Facts = typeof Facts.Type

const resources: Readonly<Record<VersionKey["kind"], Resource>> = {
  worker: Worker,
  credential: Credential,
  exemption: Exemption,
  ban: Ban,
  complianceCheck: ComplianceCheck
} as Readonly<Record<VersionKey["kind"], Resource>>

/** Returns a record as the rules read it. Fails if its text is not that of such a record. */
const storedOf = (record: RecordVersion): Stored => {
  const { columns, fields } = resources[record.kind]
  const owners: Readonly<Record<string, string>> = {
    [ownerColumns.worker]: record.workerId,
    [ownerColumns.applicant]: record.applicantId
  }
  const document = Object.entries(columns).reduce<JsonObject>(
    (whole, [column, { apart, path }]) =>
      apart === true ? put(whole, path, owners[column] === "" ? null : (owners[column] ?? null)) : whole,
    JSON.parse(record.document)
  )
  const { createdAt, deletedAt, id, updatedAt, version } = record
  const read = Schema.decodeUnknownSync(fields, { disableChecks: true })(document)
  return { id, version, createdAt, updatedAt, deletedAt, fields: read }
}

/** Returns when the person of the records was erased; null if not. Throws if the record of the worker cannot be read. */
export const erasedAtOf = (records: ReadonlyArray<RecordVersion>): string | null => {
  const [worker] = records
    .filter(({ kind }) => kind === "worker")
    .map((record) => storedOf(record) as Stored<WorkerFields>)
  return worker?.fields.erasedAt ?? null
}

/** The day on which the facts are stated, and the zone of their days. */
export interface FactsDay {
  readonly today: string
  readonly timeZone: string
}

const textOr = (text: string | undefined): string | null => text ?? null

/**
 * Returns the facts that follow from the records of one worker. Throws if a record cannot be read, or if there is not
 * exactly one worker. The same function makes a proof and checks it.
 */
export const factsOf = (records: ReadonlyArray<ProofRecord>, day: FactsDay, isErased: boolean): Facts => {
  const ofKind = <Fields extends JsonObject>(kind: VersionKey["kind"]) =>
    records.filter((record) => record.kind === kind).map((record) => storedOf(record) as Stored<Fields>)
  const areSealed = (kinds: ReadonlyArray<string>): boolean =>
    records.every(({ coverage, kind }) => !kinds.includes(kind) || coverage === "SEALED")
  const isSealed = (kind: VersionKey["kind"], id: string): boolean =>
    records.some((record) => record.kind === kind && record.id === id && record.coverage === "SEALED")
  const [worker, ...others] = ofKind<WorkerFields>("worker")
  if (worker === undefined || others.length > 0) throw new Error("there must be the record of one worker")
  const credentials = ofKind<CredentialFields>("credential")
  const exemptions = ofKind<ExemptionFields>("exemption")
  const bans = bansThatCount(ofKind<BanFields>("ban"), day.today)
  const cardOf = (credential: Stored<CredentialFields> | undefined): ProvenCard => ({
    ...rowOf(worker, credential, day),
    decision: (credential && readOn(credential, day.today).fields.attributes.decision) ?? null,
    isSealed: isSealed("worker", worker.id) && (credential === undefined || isSealed("credential", credential.id))
  })
  return {
    cards: credentials.length === 0 ? [cardOf(undefined)] : credentials.map(cardOf),
    checks: isErased
      ? []
      : ofKind<ComplianceCheckFields>("complianceCheck").map(({ fields, id }) => {
          const { requirement } = fields
          const judged = withBans(judge(requirement, worker, { credentials, exemptions }, day.today), bans)
          // Other checks have no part in this verdict.
          const kinds = kindsOf(requirement).filter((kind) => kind !== "complianceCheck")
          return {
            complianceCheckId: id,
            displayName: fields.displayName,
            ...judged,
            failingCredentials: judged.failingCredentials.map(
              ({ credentialType, expiryDate, id, since, statusDetail }) => ({
                ...{ credentialType, id, statusDetail, since: textOr(since), expiryDate: textOr(expiryDate) }
              })
            ),
            isSealed: areSealed(kinds) && isSealed("complianceCheck", id)
          }
        }),
    exemptions: exemptions
      .filter(({ fields }) => isInForceOn(fields, day.today))
      .map(({ fields, id }) => ({
        id,
        exemptionType: fields.exemptionType,
        exemptedCredentialTypes: fields.exemptedCredentialTypes ?? [],
        issueDate: textOr(fields.issueDate),
        expiryDate: textOr(fields.expiryDate),
        grantedBy: textOr(fields.grantedBy),
        reason: textOr(fields.reason),
        isSealed: isSealed("worker", worker.id) && isSealed("exemption", id)
      }))
  }
}
