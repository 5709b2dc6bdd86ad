import { Context, type Effect } from "effect"
import type { AuditSeal } from "../audit/AuditSeal.ts"
import type { LoggedEntry } from "../audit/LoggedEntry.ts"
import type { RecordKind, RecordVersion } from "../audit/RecordVersion.ts"
import type { Instant } from "../shared/Instant.ts"

/** A version with the number and the time of its seal, and its salt; null if no seal has it. */
export interface KeptVersion {
  readonly version: RecordVersion
  readonly sealed: { readonly number: number; readonly salt: string; readonly at: Instant } | null
}

/** A seal with the entries that it covers, in order. */
export interface SealedEntries {
  readonly seal: AuditSeal
  readonly entries: ReadonlyArray<LoggedEntry>
}

/** The seals that are read together: up to 4,096 entries. */
export const sealsTogether = 16

/** Reads for proofs, beside `AuditSealStore`. Every method sees one tenant only. Infrastructure failures are defects. */
export class ProofStore extends Context.Service<
  ProofStore,
  {
    /** Returns these versions of records of a kind, without erased ones, in any order. One read. */
    readonly versions: (
      tenantId: string,
      kind: RecordKind,
      keys: ReadonlyArray<Pick<RecordVersion, "id" | "version">>
    ) => Effect.Effect<ReadonlyArray<KeptVersion>>
    /** Returns the entries about these entities that were written at one of these times, at most `limit`, in order. */
    readonly entries: (
      tenantId: string,
      entityIds: ReadonlyArray<string>,
      times: ReadonlyArray<number>,
      limit: number
    ) => Effect.Effect<ReadonlyArray<LoggedEntry>>
    /** Returns the newest entry about each of these entities that was written by this time, in any order. */
    readonly newestEntries: (
      tenantId: string,
      entityIds: ReadonlyArray<string>,
      by: number
    ) => Effect.Effect<ReadonlyArray<LoggedEntry>>
    /** Returns the seals with these numbers, in order, each with its entries. At most `sealsTogether`. Two reads. */
    readonly seals: (tenantId: string, numbers: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<SealedEntries>>
    /** Returns the number of the seal of each position. Positions above the newest seal are absent. */
    readonly sealsAt: (tenantId: string, positions: ReadonlyArray<number>) => Effect.Effect<ReadonlyMap<number, number>>
  }
>()("@wcs/domain/ProofStore") {}
