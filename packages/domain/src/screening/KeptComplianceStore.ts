import { Context, type Effect } from "effect"
import type { EventDraft } from "../event/EventDraft.ts"
import type { Stored } from "../resource/Resource.ts"
import { rulesVersion } from "./ComplianceEvaluation.ts"
import type { Cause, Definitions, KeptStatus } from "./KeptCompliance.ts"
import type { TaskFields } from "./Task.ts"

/** What the store keeps of a worker. */
export interface KeptRow {
  readonly workerId: string
  /** 0 if no status is kept. */
  readonly version: number
  readonly status: KeptStatus | undefined
  /** The positions of the worker's marks, oldest first. A mark says that an input has changed since the evaluation. */
  readonly marks: ReadonlyArray<number>
  /** Whether the worker may have more marks than were read. */
  readonly isCut: boolean
  /** The cause of the newest mark that was read. */
  readonly cause: Cause | undefined
}

/** Returns the status if it is right on a day, unless the definitions have changed; else undefined. */
export const certainIn = ({ isCut, marks, status }: KeptRow, today: string): KeptStatus | undefined =>
  !isCut && marks.length === 0 && status !== undefined && status.through >= today && status.rulesVersion >= rulesVersion
    ? status
    : undefined

/** A status to keep. */
export interface Keeping {
  /** As it was read before the worker was evaluated. */
  readonly row: KeptRow
  readonly status: KeptStatus
  /** The tasks about the worker's cards, without their assignees. */
  readonly tasks: ReadonlyArray<Stored<TaskFields>>
  readonly events: ReadonlyArray<EventDraft>
}

/** A tenant with workers that have a status or a mark. */
export interface KeptTenant {
  readonly tenantId: string
  readonly timeZone: string
  readonly isMarked: boolean
  /** Whether a status is of an earlier generation or version of the rules. */
  readonly isOutdated: boolean
  /** The first `through` of the tenant; null without statuses. */
  readonly firstDay: string | null
}

/**
 * Keeps the compliance of workers. Each write of a credential, exemption, ban or worker marks the workers that it
 * concerns, in its own transaction. So does a new time zone of the tenant. A status is right if its worker has no mark,
 * `through` has not passed, and neither the definitions nor the rules of evaluation have changed.
 */
export class KeptComplianceStore extends Context.Service<
  KeptComplianceStore,
  {
    /** Returns the enabled checks, at most `keptChecks`, and their generation, from one moment. One read. */
    readonly definitions: (tenantId: string) => Effect.Effect<Definitions>

    /** Returns a row for each worker, at most 100, from one moment. One read. */
    readonly read: (tenantId: string, workers: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, KeptRow>>

    /** Returns workers whose kept status may be wrong on a day, at most `limit`. One read. */
    readonly uncertain: (tenantId: string, today: string, limit: number) => Effect.Effect<ReadonlyArray<string>>

    /**
     * Returns tenants in the order of their ids, after one of them: all that have statuses or marks, and perhaps others.
     * Fewer than `limit` are the last ones.
     */
    readonly tenants: (after: string | null, limit: number) => Effect.Effect<ReadonlyArray<KeptTenant>>

    /**
     * Stores each status with its events and tasks, and deletes the marks of its row, in one transaction. Other tasks of the
     * worker end. A task that is there keeps its assignee, and `createdAt` while its reason is the same. A status is not
     * stored if the row has changed since it was read. Returns the ids of the stored ones. At most 100 statuses.
     */
    readonly keep: (tenantId: string, statuses: ReadonlyArray<Keeping>) => Effect.Effect<ReadonlySet<string>>
  }
>()("@wcs/domain/KeptComplianceStore") {}
