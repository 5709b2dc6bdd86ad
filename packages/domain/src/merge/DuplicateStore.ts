import { Context, type Effect, type Result } from "effect"
import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { Likeness } from "../credential/Duplicates.ts"

/** Why two workers may be one person, in the order of the list. */
export type Reason = Likeness | "CARD"

/** The key of a group: an external id, a name with its birth date, or the number of a card, and behind it the type. */
export type GroupKey = ReadonlyArray<string>

/** Workers with equal keys. */
export interface Group {
  readonly key: GroupKey
  /** Their ids in order, without deleted ones, at most `groupMax`. For cards, the owners; they can be deleted. */
  readonly workers: ReadonlyArray<string>
}

/** The most workers of a group that are compared: of an external id and a card the lowest ids, of a name the oldest. */
export const groupMax = 10

/** Two workers, the lower id first. */
export type Pair = readonly [one: string, other: string]

/** Returns two ids as a pair. */
export const pairOf = (one: string, other: string): Pair => (one < other ? [one, other] : [other, one])

/** A place in the groups of a reason. */
export interface Place {
  /** The key of a group, or the first part of one: then the place is behind all groups with this part. */
  readonly key: GroupKey
  /** Whether the group with this key is read, too. */
  readonly isIncluded: boolean
}

/** Groups in the order of their keys. */
export interface Groups {
  readonly groups: ReadonlyArray<Group>
  /** Where the next groups begin; null if there are none. */
  readonly next: Place | null
}

/** Finds workers who may be one person, and keeps which ones are not. Infrastructure failures are defects. */
export class DuplicateStore extends Context.Service<
  DuplicateStore,
  {
    /**
     * Returns groups of the next `limit` first parts of keys that several rows have. A group can have one worker, or
     * none: deleted rows count. Reads index entries in order, in bounded statements on an engine in this process. So the
     * time grows with the entries between the groups, and never with their pairs.
     */
    readonly groups: (tenantId: string, reason: Reason, from: Place | undefined, limit: number) => Effect.Effect<Groups>

    /** Returns the groups with these first parts of keys, as `groups` does. At most 50 parts; one read. */
    readonly groupsOf: (
      tenantId: string,
      reason: Reason,
      values: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Group>>

    /** Returns the dismissed pairs among these workers. At most 100 ids; one read. */
    readonly dismissed: (tenantId: string, workers: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Pair>>

    /**
     * Reads whether each worker of a pair exists and is not deleted, and whether the pair was dismissed. Calls `decide`
     * and stores its entry with the pair in one transaction. `decide` is pure and may be called again. Null: nothing
     * changes.
     */
    readonly dismiss: <E>(
      tenantId: string,
      pair: Pair,
      decide: (found: {
        readonly present: readonly [boolean, boolean]
        readonly isDismissed: boolean
      }) => Result.Result<AuditEntry | null, E>
    ) => Effect.Effect<void, E>
  }
>()("@wcs/domain/DuplicateStore") {}
