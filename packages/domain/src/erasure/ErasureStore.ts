import { Context, type Effect, type Option, type Result } from "effect"
import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { ChangeRecords } from "../crud/ChangeRecords.ts"
import type { EventDraft } from "../event/EventDraft.ts"
import type { OwnerReference } from "../ownership/Ownership.ts"
import type { WorkerFields } from "../people/Worker.ts"
import type { Stored } from "../resource/Resource.ts"
import type { TimelinePage, TimelineSelection } from "../resource/Timeline.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Erasure, Rows } from "./Erasure.ts"

/** How long a tenant keeps workers who have left, and where its days begin. */
export interface TenantRetention {
  /** Years after the last day; undefined: for ever. */
  readonly retentionYears: number | undefined
  readonly timeZone: string
}

/** Input of the decision about the erasure of a worker. */
export interface ErasureBasis {
  /** The stored worker, even if deleted; none if the id is unused. */
  readonly worker: Option.Option<Stored<WorkerFields>>
  /** The erasure of the worker, if there is one. */
  readonly erasure: Option.Option<Erasure>
  /** The workers that were merged into the worker, over any number of merges. */
  readonly merged: ReadonlyArray<Stored<WorkerFields>>
  readonly retention: TenantRetention
}

/** The decision: the erasure to store, and the worker to store. Undefined ones do not change. */
export interface ErasureChange {
  /** Null withdraws an announcement. */
  readonly erasure: Erasure | null | undefined
  readonly next: Stored<WorkerFields> | undefined
  readonly records: ChangeRecords
}

/** The decision to erase a worker. `next` is the worker without personal data. */
export interface Begun extends ErasureChange {
  readonly erasure: Erasure
}

/** A worker, deleted ones too, with its erasure and the workers that were merged into it. */
export interface Leaver {
  readonly worker: Stored<WorkerFields>
  readonly merged: ReadonlyArray<Stored<WorkerFields>>
  readonly erasure: Erasure | undefined
}

/** The next rows about a person to erase. */
export interface Portion extends Rows {
  readonly tenantId: string
  readonly personId: string
  /** The id of the last row before. */
  readonly after: string
  readonly limit: number
}

/** The rows of a portion. */
export interface Erased {
  /** The ids of the rows, in their order. Fewer than the limit: these were the last. */
  readonly ids: ReadonlyArray<string>
  /** The applicants who own credentials of the portion. */
  readonly applicants: ReadonlyArray<string>
}

/** Stores erasures and removes personal data. Infrastructure failures are defects. */
export class ErasureStore extends Context.Service<
  ErasureStore,
  {
    /**
     * Reads the worker and its erasure, calls `decide` and stores its decision, in one transaction. `decide` is pure and
     * may be called again. Nothing can be linked to an erased worker, because it is deleted. With `person` the basis is
     * the worker that continues this one after any number of merges; all of them are locked, so no merge and no undo comes
     * between.
     */
    readonly begin: <E, D extends ErasureChange>(
      tenantId: string,
      workerId: string,
      decide: (basis: ErasureBasis) => Result.Result<D, E>,
      whom?: "worker" | "person"
    ) => Effect.Effect<D["erasure"], E>

    /** The workers that were merged into this one, with ids after `after`, in order of id. One read. */
    readonly mergedFrom: (
      tenantId: string,
      workerId: string,
      after: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<string>>

    /** The tenants with ids after this one that have a retention, or had one and announced erasures. In order of id. */
    readonly retaining: (
      after: string | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<TenantRetention & { readonly tenantId: string }>>

    /** The tenant's workers with ids after this one, in order of id. */
    readonly leavers: (tenantId: string, after: string, limit: number) => Effect.Effect<ReadonlyArray<Leaver>>

    /**
     * Reads the next rows about a person by id, deleted ones too, and writes what `decide` returns, in one transaction.
     * With a row, its earlier versions are emptied. The rows of a credential are erased with it: the notices of its
     * history, and the scans of its number.
     * `decide` is pure but for new ids, and may be called again. It returns the same object if nothing changes.
     */
    readonly portion: (
      portion: Portion,
      decide: (stored: Stored) => { readonly next: Stored; readonly audit: AuditEntry }
    ) => Effect.Effect<Erased>

    /**
     * Removes the answers of receivers from the deliveries of the tenant's next events that are about one of the
     * resources. Returns the position of the last event that was looked at; null if there are no more.
     */
    readonly forgetAnswers: (
      tenantId: string,
      subjects: ReadonlySet<string>,
      after: number,
      limit: number
    ) => Effect.Effect<number | null>

    /**
     * Empties some versions that a later one has replaced, from when a person owned the resource: a worker, or an
     * applicant alone. Returns whether more may be left.
     */
    readonly forgetVersions: (tenantId: string, person: OwnerReference, limit: number) => Effect.Effect<boolean>

    /** Deletes some messages to a person: an answer of a mail server can have the address. Returns whether more may be left. */
    readonly forgetMessages: (tenantId: string, person: OwnerReference, limit: number) => Effect.Effect<boolean>

    /**
     * Records that nothing is left to erase, with the event that tells it. Returns false if this was recorded before.
     * Without the worker there is no event.
     */
    readonly finish: (
      tenantId: string,
      workerId: string,
      now: Instant,
      eventOf: (erasure: Erasure) => EventDraft
    ) => Effect.Effect<boolean>

    /** The oldest erasures of all tenants that are due or were begun. */
    readonly unfinished: (limit: number) => Effect.Effect<ReadonlyArray<Erasure>>

    /** A page of the tenant's erasures, in order of request. */
    readonly list: (tenantId: string, selection: TimelineSelection<"status">) => Effect.Effect<TimelinePage<Erasure>>
  }
>()("@wcs/domain/ErasureStore") {}
