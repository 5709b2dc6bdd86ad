import { Array as Arr, Context, Schema } from "effect"
import type { Sha256 } from "../shared/Digest.ts"
import type { Instant } from "../shared/Instant.ts"
import { canonical, type LoggedEntry } from "./LoggedEntry.ts"
import { namedIn, type SealedVersion } from "./RecordVersion.ts"

/** Settings of sealing (DECISIONS.md#audit-log). */
export const AuditSettings = Context.Reference<{
  /** The time between two rounds of sealing. */
  readonly sealMillis: number
}>("@wcs/domain/AuditSettings", { defaultValue: () => ({ sealMillis: 5000 }) })

/** The maximum number of entries in a batch. */
export const batchMax = 256

const { Array: List, Int, String: Text } = Schema

/**
 * The seal of a batch: consecutive entries of one tenant. A seal has the hash of the seal before, so the seals of a
 * tenant form a chain.
 */
export const AuditSeal = Schema.Struct({
  tenantId: Text.annotate({ description: "Id of the organization." }),
  number: Int.annotate({ description: "Number of the batch, from 1." }),
  count: Int.annotate({ description: "Number of entries in the batch." }),
  firstId: Text.annotate({ description: "Id of the first entry." }),
  lastId: Text.annotate({ description: "Id of the last entry." }),
  lastPosition: Int.annotate({ description: "Position of the last entry: the batch has all since the batch before." }),
  entriesHash: Text.annotate({ description: "Hash of the digests of all entries." }),
  /**
   * For each entry the start of its digest and its id. They name an altered entry; `entriesHash` detects it. Then the
   * versions of the records that the entries are about (`namedIn`). Releases before these versions hash the list alike.
   */
  contents: List(Text).annotate({ description: "The entries, and the versions of records, each with its digest." }),
  previousHash: Text.annotate({ description: "Hash of the seal before. Empty for the first one." }),
  sealedAt: Int.annotate({ description: "When the seal was made, in milliseconds since 1970." }),
  signature: Text.annotate({ description: "Signs the organization, the number and the hash of the seal." })
})
export type AuditSeal = typeof AuditSeal.Type

/** A seal before it is signed. */
export type UnsignedSeal = Omit<AuditSeal, "signature">

/** The part of a seal that its signature covers. */
export interface SealClaim {
  readonly tenant: string
  readonly number: number
  readonly hash: string
}

/** The end of a chain of seals. The next batch continues it. */
export interface ChainEnd {
  readonly number: number
  readonly hash: string
  /** The position of the last sealed entry; null if there is none. */
  readonly position: number | null
}

/** The end of an empty chain. */
export const emptyChain: ChainEnd = { number: 0, hash: "", position: null }

/** The hash of a seal, which the next seal repeats and the signature covers. */
export const hashOf = (seal: UnsignedSeal, sha256: Sha256): string =>
  sha256(
    JSON.stringify([
      "wcs audit seal 1", // the version of this form
      seal.tenantId,
      seal.number,
      seal.count,
      seal.firstId,
      seal.lastId,
      seal.lastPosition,
      seal.entriesHash,
      seal.contents,
      seal.previousHash,
      seal.sealedAt
    ])
  )

/** Returns the claim that the signature of a seal must cover. */
export const claimOf = (seal: UnsignedSeal, sha256: Sha256): SealClaim => ({
  tenant: seal.tenantId,
  number: seal.number,
  hash: hashOf(seal, sha256)
})

/** Returns the end of the chain after a seal. */
export const endAfter = (seal: UnsignedSeal, sha256: Sha256): ChainEnd => ({
  number: seal.number,
  hash: hashOf(seal, sha256),
  position: seal.lastPosition
})

/** 48 bits of a digest tell which entry was altered. `entriesHash` covers the full digests. */
const digestStart = 12

/** An entry as a seal names it. */
export interface SealedEntry {
  readonly id: string
  /** The start of its digest. */
  readonly digest: string
}

const isEntry = (text: string): boolean => text.charAt(digestStart) === " "

/** The versions of records that a seal names, as `namedIn` does. */
export const sealedVersions = ({ contents }: Pick<AuditSeal, "contents">): ReadonlyArray<string> =>
  contents.filter((text) => !isEntry(text))

/** The entries that a seal names, in order. */
export const sealedEntries = ({ contents }: Pick<AuditSeal, "contents">): ReadonlyArray<SealedEntry> =>
  contents.filter(isEntry).map((text) => ({ digest: text.slice(0, digestStart), id: text.slice(digestStart + 1) }))

/** Returns the digest of each entry, in order. */
export const digestsOf = (entries: ReadonlyArray<LoggedEntry>, sha256: Sha256): ReadonlyArray<string> =>
  entries.map((entry) => sha256(canonical(entry)))

/** Returns the hash of entries by their digests. */
export const entriesHashOf = (digests: ReadonlyArray<string>, sha256: Sha256): string => sha256(digests.join(""))

/** Returns the hash of the entries in order, and the name of each entry in a seal. */
export const summaryOf = (
  entries: ReadonlyArray<LoggedEntry>,
  sha256: Sha256
): Pick<AuditSeal, "entriesHash" | "contents"> => {
  const digests = digestsOf(entries, sha256)
  return {
    entriesHash: entriesHashOf(digests, sha256),
    contents: entries.map(({ id }, index) => `${digests[index]?.slice(0, digestStart)} ${id}`)
  }
}

/**
 * Returns the next seal of a chain. The entries must be all after the end of the chain, by position, without a gap. The
 * versions are of the records that they are about.
 */
export const sealOf = (
  end: ChainEnd,
  tenantId: string,
  entries: Arr.NonEmptyReadonlyArray<LoggedEntry>,
  sealedAt: Instant,
  sha256: Sha256,
  versions: ReadonlyArray<SealedVersion> = []
): UnsignedSeal => {
  const last = Arr.lastNonEmpty(entries)
  const { contents, entriesHash } = summaryOf(entries, sha256)
  return {
    tenantId,
    number: end.number + 1,
    count: entries.length,
    firstId: entries[0].id,
    lastId: last.id,
    lastPosition: last.position,
    entriesHash,
    contents: [...contents, ...versions.map((version) => namedIn(tenantId, version, sha256))],
    previousHash: end.hash,
    sealedAt
  }
}
