import { Schema } from "effect"
import { AuditSeal } from "../audit/AuditSeal.ts"
import { type ProofClaim, PublicKey } from "../audit/AuditSignatures.ts"
import { LoggedEntry } from "../audit/LoggedEntry.ts"
import type { Sha256 } from "../shared/Digest.ts"
import { CalendarDate } from "../shared/Instant.ts"
import { isObject, type JsonValue } from "../shared/Json.ts"
import { Facts, ProofRecord } from "./ProofFacts.ts"

// A proof of what was known of a worker at a time, which a program checks without the service (DECISIONS.md#proof).

/** The name of this form. */
export const form = "wcs proof 1"

/** What a valid proof shows, for its readers. */
export const proves: ReadonlyArray<string> = [
  "The signature of the whole file: the service of the organization stated all of this at `madeAt`. Nothing in it was " +
    "changed since.",
  "Each record and entry with a seal: the service had it, in exactly this form, when the seal was made (`sealedAt`). " +
    "Nobody without the signing key changed it later, also not in the database.",
  "The facts and verdicts follow from the records by the rules of the service. A check computes them again."
]

/** What no proof shows. */
export const doesNotProve: ReadonlyArray<string> = [
  "That nothing is missing. The seals cover what is here: not that the worker had no other card, ban or later version.",
  "Times before the seal. `updatedAt` and `at` are as the store had them when the seal was made, which may be up to an " +
    "hour later: somebody who writes to the database in that time can forge them.",
  "Records and entries without a seal, names of users, the name and the `timeZone` of the organization: only the " +
    "signature of the file covers these, as they were at `madeAt`. The time zone decides the `day`.",
  "Records that are SEALED_LATER, as of `asOf`: the seal shows only that they were there when it was made.",
  "What the register knew, and that the answers of users are true.",
  "Anything against somebody with the signing key or the master key of the service. Compare with an older export of the " +
    "audit log."
]

const { Array: List, Int, NullOr, String: Text, Struct } = Schema
const Time = Text.annotate({ format: "date-time" })

/** An audit entry in a proof, with the number of its seal. */
export const ProofEntry = Struct({
  entry: LoggedEntry.annotate({ description: "The entry with every stored value." }),
  seal: NullOr(Int).annotate({ description: "Number of its seal. Null if it has none yet." })
})

/** A seal in a proof, with the digest of each entry of its batch, also of entries that are not in the proof. */
export const ProofSeal = Struct({
  seal: AuditSeal.annotate({ description: "The seal as it was signed." }),
  digests: List(Text).annotate({ description: "The digest of each entry of the batch, in order." })
})
export type ProofSeal = typeof ProofSeal.Type

/** The parts of a proof that its digests cover. */
const stated = {
  form: Schema.Literal(form).annotate({ description: "Name of this form." }),
  requestId: Text.annotate({ description: "Id of the call that made the proof, as in `meta`." }),
  proves: List(Text).annotate({ description: "What a valid proof shows." }),
  doesNotProve: List(Text).annotate({ description: "What it does not show." }),
  tenantId: Text.annotate({ description: "Id of the organization in the seals." }),
  organization: Text.annotate({ description: "Name of the organization. Not sealed." }),
  asOf: Time.annotate({ description: "The facts are those of this time." }),
  day: CalendarDate.annotateKey({
    description: "Calendar day of `asOf`. It decides which cards and decisions had ended."
  }),
  timeZone: Text.annotate({ description: "The time zone of the organization." }),
  madeAt: Time.annotate({ description: "When the proof was made." }),
  madeBy: Text.annotate({ description: "The URN of the account that asked for the proof." }),
  rulesVersion: Int.annotate({ description: "Version of the rules of compliance checks that gave the verdicts." }),
  factsVersion: Int.annotate({ description: "Version of the form and the rules of the other facts." }),
  workerId: Text.annotate({ description: "Id of the worker." }),
  erasedAt: NullOr(Time).annotate({
    description: "When the person was erased. Then `asOf` is `madeAt`, and the facts are what remains. Null if not."
  }),
  remarks: List(Text).annotate({ description: "What is missing in this proof, and why. Not sealed." }),
  nextSealDue: NullOr(Time).annotate({
    description:
      "The earliest time at which the records that are PENDING are sealed: ask again then, or later. Null if none is PENDING."
  }),
  ...Facts.fields,
  people: List(
    Struct({
      account: Text.annotate({ description: "The URN of the account." }),
      name: Text.annotate({ description: "Name of the user, or the email address." })
    })
  ).annotate({
    description: "The present names of the accounts in decisions and entries. Not sealed."
  }),
  records: List(ProofRecord).annotate({ description: "The stored records from which the facts follow." }),
  entries: List(ProofEntry).annotate({
    description: "The audit entries of these versions. Empty if the caller may not read the audit log."
  }),
  seals: List(ProofSeal).annotate({ description: "The seals of the records and entries, in order." }),
  keys: List(PublicKey).annotate({
    description: "The public keys of the signatures. Trust a key by its `kid` from another source: `wcs audit keys`."
  })
} as const

/** A proof without its digests and signature. */
export const ProofContent = Struct(stated)
export type ProofContent = typeof ProofContent.Type

export const Proof = Struct({
  ...stated,
  digests: Schema.Record(Text, Text).annotate({
    description: "SHA-256 of the JSON text of each part: of each field, and of each element of a list."
  }),
  signature: Text.annotate({
    description: "Signs the organization and the hash of the JSON text of `digests`: a JWT in compact form."
  })
})
export type Proof = typeof Proof.Type

const Stated = List(Schema.Record(Text, Schema.Json))

/** A proof whose facts can be of any version: what they state is read, and not computed again. */
export const AnyProof = Struct({ ...Proof.fields, cards: Stated, checks: Stated, exemptions: Stated })
export type AnyProof = typeof AnyProof.Type

/** The parts of a document with their names: `asOf`, `records[2]`. A list without elements is one part. */
export const partsOf = (content: object): ReadonlyArray<readonly [name: string, value: JsonValue]> =>
  Object.entries(content).flatMap(([key, value]: [string, JsonValue]) =>
    Array.isArray(value) && value.length > 0
      ? value.map((element: JsonValue, index) => [`${key}[${index}]`, element] as const)
      : [[key, value] as const]
  )

/** Returns the digest of each part. */
export const digestsOfParts = (content: object, sha256: Sha256): Readonly<Record<string, string>> =>
  Object.fromEntries(partsOf(content).map(([name, value]) => [name, sha256(JSON.stringify(value))]))

/** Returns the claim that the signature of a proof must cover. */
export const claimOfProof = (
  tenant: string,
  digests: Readonly<Record<string, string>>,
  sha256: Sha256
): ProofClaim => ({ tenant, hash: sha256(JSON.stringify(["wcs proof 1", tenant, Object.entries(digests)])) })

/** Describes a part of a proof for people: `records[2] (credential cred_1, version 3)`. */
export const describePart = (name: string, value: JsonValue | undefined): string => {
  if (!isObject(value)) return name
  const inner = isObject(value["entry"]) ? value["entry"] : isObject(value["seal"]) ? value["seal"] : value
  const { account, complianceCheckId, credentialId, id, kind, kid, number, version } = inner
  const what = kind !== undefined ? `${kind} ${id}, version ${version}` : (credentialId ?? complianceCheckId ?? id)
  const named = what ?? account ?? kid ?? number
  return typeof named === "string" || typeof named === "number" ? `${name} (${named})` : name
}
