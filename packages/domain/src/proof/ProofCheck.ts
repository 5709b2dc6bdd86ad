import { Data, Effect, Option, Result, Schema } from "effect"
import {
  type AuditSeal,
  claimOf,
  entriesHashOf,
  hashOf,
  type SealClaim,
  sealedEntries,
  sealedVersions
} from "../audit/AuditSeal.ts"
import type { ProofClaim } from "../audit/AuditSignatures.ts"
import { canonical } from "../audit/LoggedEntry.ts"
import { namedIn, readNamed, recordName } from "../audit/RecordVersion.ts"
import { rulesVersion } from "../screening/ComplianceEvaluation.ts"
import { dayAt, isTimeZone } from "../shared/CalendarDay.ts"
import type { Sha256 } from "../shared/Digest.ts"
import { fromRfc3339 } from "../shared/Instant.ts"
import { equals, isObject, type JsonObject, type JsonValue } from "../shared/Json.ts"
import { faultsOf } from "../shared/SchemaFaults.ts"
import { coverageOf, erasedAtOf, type Facts, factsOf, factsVersion } from "./ProofFacts.ts"
import { AnyProof, claimOfProof, describePart, digestsOfParts, Proof, type ProofSeal, partsOf } from "./ProofFile.ts"

/** The file is no proof, or not as the service made it. `reason` names the part. */
export class ProofRefused extends Data.TaggedError("ProofRefused")<{ readonly reason: string }> {}

/** Returns the claims of signatures by trusted keys; none for others. */
export interface ProofKeys<E> {
  readonly seal: (signature: string) => Effect.Effect<Option.Option<SealClaim>, E>
  readonly proof: (signature: string) => Effect.Effect<Option.Option<ProofClaim>, E>
}

/** A proof that was checked. */
export interface Checked {
  readonly proof: AnyProof
  /** Whether the facts were computed again. Other rules than those of this program gave them otherwise. */
  readonly isRecomputed: boolean
}

const refuse = (reason: string) => Result.fail(new ProofRefused({ reason }))

/** The text of the answer that contains a proof. A check compares it byte by byte. */
export const textOf = (proof: object, requestId: string): string => JSON.stringify({ data: proof, meta: { requestId } })

/** Reads the answer of the service. Its text must be as the service wrote it, without another space. */
const readText = (text: string): Result.Result<JsonObject, ProofRefused> => {
  const parsed = Option.getOrUndefined(Option.liftThrowable((source: string): JsonValue => JSON.parse(source))(text))
  if (!isObject(parsed) || !isObject(parsed["data"]))
    return refuse("the file is not a proof: it is not its JSON object")
  const { data } = parsed
  // Text that is nested too deep can be parsed, but not be written.
  const written = Option.liftThrowable(() => JSON.stringify(parsed))()
  if (Option.isNone(written)) return refuse("the file is not a proof: it is nested too deep")
  if (written.value !== text) return refuse("the file was written anew: spaces, order or spelling differ")
  if (textOf(data, String(data["requestId"])) !== text) return refuse("`meta` was altered")
  return Result.succeed(data)
}

/** Compares each part with its digest, so that a refusal names the altered part. */
const compareDigests = (data: JsonObject, sha256: Sha256): Result.Result<void, ProofRefused> => {
  const { digests, signature: _, ...content } = data
  if (!isObject(digests)) return refuse("`digests` is missing")
  const found = digestsOfParts(content, sha256)
  const values = new Map(partsOf(content))
  const altered = Object.keys(found).find((name) => digests[name] !== found[name])
  if (altered !== undefined) return refuse(`${describePart(altered, values.get(altered))} was altered`)
  const missing = Object.keys(digests).find((name) => !Object.hasOwn(found, name))
  if (missing !== undefined) return refuse(`${missing} is missing`)
  const order = [...Object.keys(content), "digests", "signature"]
  const isInOrder = equals(Object.keys(data), order) && equals(Object.keys(digests), Object.keys(found))
  return isInOrder ? Result.void : refuse("the order of the parts was altered")
}

const decodeBy = <Form extends AnyProof>(schema: Schema.Codec<Form, unknown>) => {
  const decode = Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })
  return (data: JsonObject): Result.Result<Form, ProofRefused> =>
    Result.mapError(decode(data), (error) => {
      const [first] = faultsOf(error)
      return new ProofRefused({ reason: `the file is not a proof: ${first?.field ?? "it"} ${first?.reason ?? ""}` })
    })
}

const decodeAny = decodeBy<AnyProof>(AnyProof)
const decodeProof = decodeBy<Proof>(Proof)

/** Checks the contents of a seal against its signature, and against the seal before it if the proof has that one. */
const checkSeal = (
  { digests, seal }: ProofSeal,
  previous: AuditSeal | undefined,
  {
    claim,
    sha256,
    tenantId
  }: { readonly claim: SealClaim | undefined; readonly sha256: Sha256; readonly tenantId: string }
): Result.Result<void, ProofRefused> => {
  const due = claimOf(seal, sha256)
  const name = `seal ${seal.number}`
  if (claim === undefined) return refuse(`${name} is not signed by a trusted key`)
  if (claim.hash !== due.hash || claim.number !== due.number || claim.tenant !== due.tenant) {
    return refuse(`${name} was altered`)
  }
  if (seal.tenantId !== tenantId) return refuse(`${name} is of another organization`)
  if (entriesHashOf(digests, sha256) !== seal.entriesHash) return refuse(`the digests of ${name} were altered`)
  const isFollowing = previous?.number === seal.number - 1
  if (isFollowing && hashOf(previous, sha256) !== seal.previousHash)
    return refuse(`${name} does not follow the one before`)
  return Result.void
}

/** Checks that each entry and record with a seal is in that seal. */
const checkCovered = (
  { asOf, entries, records, seals, tenantId }: AnyProof,
  sha256: Sha256
): Result.Result<void, ProofRefused> => {
  const byNumber = new Map(seals.map((each) => [each.seal.number, each]))
  for (const { entry, seal } of entries) {
    if (seal === null) continue
    const found = byNumber.get(seal)
    const index = found === undefined ? -1 : sealedEntries(found.seal).findIndex(({ id }) => id === entry.id)
    if (found === undefined || index === -1 || found.digests[index] !== sha256(canonical(entry))) {
      return refuse(`entry ${entry.id} is not as seal ${seal} has it`)
    }
  }
  const named = new Map(seals.map(({ seal }) => [seal.number, new Set(sealedVersions(seal))]))
  for (const { coverage, salt, seal, ...version } of records) {
    const sealedAt = seal === null ? undefined : byNumber.get(seal)?.seal.sealedAt
    const isStated =
      sealedAt === undefined
        ? coverage === "PENDING" || coverage === "NOT_SEALED"
        : coverage === coverageOf(version, sealedAt, fromRfc3339(asOf) ?? 0)
    if (!isStated) return refuse(`${version.kind} ${version.id}, version ${version.version}, is not ${coverage}`)
    if (seal === null || named.get(seal)?.has(namedIn(tenantId, { version, salt }, sha256)) === true) continue
    return refuse(`${version.kind} ${version.id}, version ${version.version}, is not as seal ${seal} has it`)
  }
  return Result.void
}

/** Checks that no seal of the proof, whosever it is, has another text or a later version of a record by that time. */
const checkNamed = (
  { asOf, records, seals, tenantId }: AnyProof,
  sha256: Sha256
): Result.Result<void, ProofRefused> => {
  const at = fromRfc3339(asOf) ?? 0
  const byName = new Map(records.map((record) => [recordName(tenantId, record, sha256), record]))
  for (const { seal } of seals) {
    for (const text of sealedVersions(seal)) {
      const named = readNamed(text)
      const record = byName.get(named.record)
      if (record === undefined) continue
      const name = `${record.kind} ${record.id}, version ${record.version}`
      if (named.version === record.version && record.seal === null)
        return refuse(`${name}, is stated without a seal, but seal ${seal.number} has it`)
      if (
        named.version === record.version &&
        text !== namedIn(tenantId, { version: record, salt: record.salt }, sha256)
      )
        return refuse(`${name}, is not as seal ${seal.number} has it`)
      if (named.version > record.version && seal.sealedAt <= at)
        return refuse(`${name}, was not the newest: seal ${seal.number} has version ${named.version}`)
    }
  }
  return Result.void
}

/** Checks that the records are those of the worker, as of the stated time. */
const checkSubject = ({
  asOf,
  day,
  erasedAt,
  records,
  timeZone,
  workerId
}: AnyProof): Result.Result<void, ProofRefused> => {
  const at = fromRfc3339(asOf)
  if (at === undefined || !isTimeZone(timeZone) || dayAt(at, timeZone) !== day)
    return refuse("`day` is not that of `asOf`")
  const stranger = records.find(
    ({ id, kind, workerId: owner }) => kind !== "complianceCheck" && (kind === "worker" ? id : owner) !== workerId
  )
  if (stranger !== undefined) return refuse(`${stranger.kind} ${stranger.id} is not of this worker`)
  const erased = Option.liftThrowable(() => erasedAtOf(records))()
  if (Option.isNone(erased)) return refuse("the records cannot be read")
  if (erased.value !== erasedAt) return refuse("`erasedAt` is not that of the worker")
  const later = records.find(({ updatedAt }) => updatedAt > at)
  return later === undefined ? Result.void : refuse(`${later.kind} ${later.id} is of a later time than \`asOf\``)
}

/** Computes the facts again and compares them. */
const checkFacts = (proof: Proof): Result.Result<void, ProofRefused> => {
  const { cards, checks, exemptions } = proof
  const due = Option.liftThrowable(() =>
    factsOf(proof.records, { today: proof.day, timeZone: proof.timeZone }, proof.erasedAt !== null)
  )()
  if (Option.isNone(due)) return refuse("the records cannot be read")
  const stated: Facts = { cards, checks, exemptions }
  const parts = new Map(partsOf(due.value))
  const given = new Map(partsOf(stated))
  const name = [...new Set([...given.keys(), ...parts.keys()])].find(
    (part) => !equals(given.get(part), parts.get(part))
  )
  return name === undefined
    ? Result.void
    : refuse(`${describePart(name, given.get(name) ?? parts.get(name))} does not follow from the records`)
}

/**
 * Checks the text of a proof without the service. Fails with the name of the first part that is not as it was made. A
 * proof by a key that is not trusted is refused.
 */
export const checkProof = Effect.fnUntraced(function* <E>(
  text: string,
  keys: ProofKeys<E>,
  sha256: Sha256
): Effect.fn.Return<Checked, ProofRefused | E> {
  const data = yield* Effect.fromResult(readText(text))
  yield* Effect.fromResult(compareDigests(data, sha256))
  const proof = yield* Effect.fromResult(decodeAny(data))
  const { digests, seals, signature, tenantId } = proof
  const claim = Option.getOrUndefined(yield* keys.proof(signature))
  if (claim === undefined) {
    return yield* new ProofRefused({ reason: "the signature was altered, or its key is not trusted" })
  }
  const due = claimOfProof(tenantId, digests, sha256)
  if (claim.tenant !== due.tenant || claim.hash !== due.hash) {
    return yield* new ProofRefused({ reason: "the digests were altered: the signature is of another proof" })
  }
  let previous: AuditSeal | undefined
  for (const each of seals) {
    const signed = Option.getOrUndefined(yield* keys.seal(each.seal.signature))
    yield* Effect.fromResult(checkSeal(each, previous, { claim: signed, sha256, tenantId }))
    previous = each.seal
  }
  yield* Effect.fromResult(checkCovered(proof, sha256))
  yield* Effect.fromResult(checkSubject(proof))
  yield* Effect.fromResult(checkNamed(proof, sha256))
  const isRecomputed = proof.rulesVersion === rulesVersion && proof.factsVersion === factsVersion
  if (isRecomputed) yield* Effect.fromResult(Result.andThen(decodeProof(data), checkFacts))
  return { proof, isRecomputed }
})
