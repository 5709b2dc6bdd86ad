import { Result } from "effect"
import type { Sha256 } from "../shared/Digest.ts"
import {
  type AuditSeal,
  type ChainEnd,
  claimOf,
  endAfter,
  hashOf,
  type SealClaim,
  type SealedEntry,
  sealedEntries,
  sealedVersions,
  summaryOf
} from "./AuditSeal.ts"
import { canonical, type LoggedEntry } from "./LoggedEntry.ts"
import { readNamed } from "./RecordVersion.ts"

/** The mismatches, in words. */
export const reasons = {
  sealMissing: "the seal is missing",
  sealAltered: "the seal was altered, or its signing key is unknown",
  sealUnchained: "the seal does not follow the seal before it",
  sealDiffers: "the seal differs from the export",
  versionRepeated: "the seal names a version of a record that the seals before it have named",
  entryMissing: "the entry is missing",
  entryAltered: "the entry was altered",
  entryUnexpected: "the entry was inserted",
  entryOutOfOrder: "the entry is out of order",
  entriesAltered: "an entry was altered"
} as const

/** The first batch and entry of a tenant that do not fit. */
export interface Fault {
  /** The number of the batch; null for an entry that had no seal when it was exported. */
  readonly batch: number | null
  /** The id of the entry; null if the seal itself does not fit. */
  readonly entry: string | null
  readonly reason: keyof typeof reasons
}

/** A seal with the entries of its batch: those after the batch before, up to its last position. */
export interface Batch {
  readonly seal: AuditSeal
  readonly entries: ReadonlyArray<LoggedEntry>
}

/**
 * The maximum number of entries to read for the verification of a batch. One more than the seal has is enough to find
 * the first inserted entry.
 */
export const readMax = ({ count }: AuditSeal): number => count + 1

/** The first entry that differs. Up to there both lists are equal, so an entry that is also later was moved. */
const firstDifference = (
  sealed: ReadonlyArray<SealedEntry>,
  found: ReadonlyArray<SealedEntry>
): Omit<Fault, "batch"> => {
  const length = Math.max(sealed.length, found.length)
  for (let index = 0; index < length; index++) {
    const [due, here] = [sealed[index], found[index]]
    if (here === undefined) return { entry: due?.id ?? null, reason: "entryMissing" }
    if (due === undefined) return { entry: here.id, reason: "entryUnexpected" }
    if (due.id === here.id && due.digest === here.digest) continue
    if (due.id === here.id) return { entry: here.id, reason: "entryAltered" }
    if (!sealed.slice(index).some(({ id }) => id === here.id)) return { entry: here.id, reason: "entryUnexpected" }
    if (!found.slice(index).some(({ id }) => id === due.id)) return { entry: due.id, reason: "entryMissing" }
    return { entry: here.id, reason: "entryOutOfOrder" }
  }
  return { entry: null, reason: "entriesAltered" }
}

const isSame = (one: SealClaim, other: SealClaim | undefined): boolean =>
  one.tenant === other?.tenant && one.number === other.number && one.hash === other.hash

/**
 * Verifies the next batch of a tenant's chain. `signed` is the claim of the signature of its seal, undefined if the
 * signature is not valid. Returns the new end of the chain, or the first fault.
 */
export const follow = (
  end: ChainEnd,
  tenantId: string,
  { entries, seal }: Batch,
  signed: SealClaim | undefined,
  sha256: Sha256
): Result.Result<ChainEnd, Fault> => {
  const batch = end.number + 1
  const sealFault = (reason: Fault["reason"]) => Result.fail<Fault>({ batch, entry: null, reason })
  if (seal.number !== batch) return sealFault("sealMissing")
  if (seal.tenantId !== tenantId || !isSame(claimOf(seal, sha256), signed)) return sealFault("sealAltered")
  if (seal.previousHash !== end.hash) return sealFault("sealUnchained")
  const found = summaryOf(entries, sha256)
  if (found.entriesHash === seal.entriesHash) return Result.succeed(endAfter(seal, sha256))
  return Result.fail({ batch, ...firstDifference(sealedEntries(seal), sealedEntries(found)) })
}

/** The newest version that the seals so far have named of each record. */
export type NewestNamed = Map<string, number>

/**
 * Notes the versions that a seal names. Returns a fault if the seals before it have named one of them, or a later one:
 * sealing takes each version of a record once, in order. So somebody removed the notes of earlier seals from the store, and
 * the record was sealed anew as it was then.
 */
export const noteVersions = (newest: NewestNamed, seal: AuditSeal): Fault | undefined => {
  const named = sealedVersions(seal).map(readNamed)
  for (const { record, version } of named.toSorted((one, two) => one.version - two.version)) {
    if (version <= (newest.get(record) ?? 0)) return { batch: seal.number, entry: null, reason: "versionRepeated" }
    newest.set(record, version)
  }
  return undefined
}

/** The hashes of the seals of a tenant in an export, in order. */
export type ExportedSeals = ReadonlyArray<string>

/** Compares a seal with an export. A seal that is newer than the export fits. */
export const compareSeal = (exported: ExportedSeals, seal: AuditSeal, sha256: Sha256): Fault | undefined => {
  const hash = exported[seal.number - 1]
  if (hash === undefined || hash === hashOf(seal, sha256)) return undefined
  return { batch: seal.number, entry: null, reason: "sealDiffers" }
}

/** Compares the end of a chain with an export. Returns the first seal that only the export has. */
export const compareEnd = (exported: ExportedSeals, { number }: ChainEnd): Fault | undefined =>
  number < exported.length ? { batch: number + 1, entry: null, reason: "sealMissing" } : undefined

/**
 * Compares entries that had no seal when they were exported. Between them others may have been committed since, but
 * each of them must still be there. Returns the first one that is missing or altered.
 */
export const compareUnsealed = (
  exported: ReadonlyArray<LoggedEntry>,
  found: ReadonlyArray<LoggedEntry>
): Fault | undefined => {
  const present = new Map(found.map((entry) => [entry.position, entry]))
  for (const entry of exported) {
    const here = present.get(entry.position)
    if (here === undefined) return { batch: null, entry: entry.id, reason: "entryMissing" }
    if (canonical(here) !== canonical(entry)) return { batch: null, entry: entry.id, reason: "entryAltered" }
  }
  return undefined
}

/** Returns a fault in words: the batch, the entry and the reason. */
export const describe = ({ batch, entry, reason }: Fault): string => {
  const place = [batch === null ? "without a batch" : `batch ${batch}`, ...(entry === null ? [] : [`entry ${entry}`])]
  return `${place.join(", ")}: ${reasons[reason]}`
}
