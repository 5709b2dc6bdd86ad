import { Context, type Effect, type Option, type Result } from "effect"
import type { ChangeRecords } from "../crud/ChangeRecords.ts"
import type { WorkerFields } from "../people/Worker.ts"
import type { Stored } from "../resource/Resource.ts"
import type { TimelinePage, TimelineSelection } from "../resource/Timeline.ts"
import type { Merge } from "./Merge.ts"
import type { Held, MergePlan } from "./MergePlan.ts"

/** Input of the decision to merge, or to undo a merge. */
export interface MergeBasis {
  /** The stored workers, even if deleted; none if the id is unused. */
  readonly worker: Option.Option<Stored<WorkerFields>>
  readonly from: Option.Option<Stored<WorkerFields>>
  /**
   * For a merge the rows of `from`, deleted ones too, at most `movedMax` and one more. For an undo the rows that the merge
   * moved.
   */
  readonly held: ReadonlyArray<Held>
  /** For an undo the unit of `from`; none for a merge. It cannot be deleted before the commit. */
  readonly unit: Option.Option<Stored>
  /** For a merge the number of bans of `worker`, at most `banLimit`. */
  readonly bans: number
  /** The tasks about these cards. */
  readonly tasks: ReadonlyArray<Stored>
  /** The accounts of users whose worker is `from`. For an undo those that the merge moved, if their worker is `worker`. */
  readonly users: ReadonlyArray<string>
}

/** The decision. Without a plan nothing changes. */
export interface MergeChange {
  readonly merge: Merge
  readonly plan: MergePlan | undefined
  readonly records: ChangeRecords
}

/** Runs pure decisions about two workers and their rows in a transaction. Infrastructure failures are defects. */
export class MergeStore extends Context.Service<
  MergeStore,
  {
    /**
     * Locks both workers and the rows of `fromId`, calls `decide`, and writes rows, merge and records in one
     * transaction. Fails with the error of `decide` and then writes nothing. `decide` is pure but for new ids, and may be
     * called again.
     */
    readonly merge: <E>(
      tenantId: string,
      workers: { readonly workerId: string; readonly fromId: string },
      decide: (basis: MergeBasis) => Result.Result<MergeChange, E>
    ) => Effect.Effect<Merge, E>

    /** The same for a merge and the rows that it has moved. Without the merge, `decide` gets none and must fail. */
    readonly undo: <E>(
      tenantId: string,
      mergeId: string,
      decide: (merge: Option.Option<Merge>, basis: MergeBasis) => Result.Result<MergeChange, E>
    ) => Effect.Effect<Merge, E>

    /** A page of the tenant's merges, in the order of the calls. */
    readonly list: (
      tenantId: string,
      selection: TimelineSelection<"workerId" | "fromId" | "status">
    ) => Effect.Effect<TimelinePage<Merge>>
  }
>()("@wcs/domain/MergeStore") {}
