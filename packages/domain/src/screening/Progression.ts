import type { Actor, AuditEntry } from "../audit/AuditEntry.ts"
import type { Holdings } from "../credential/Holdings.ts"
import type { OwnerReference } from "../ownership/Ownership.ts"
import type { Resource, Stored } from "../resource/Resource.ts"
import type { Instant } from "../shared/Instant.ts"
import type { EventDraft } from "../webhook/EventDraft.ts"

/**
 * What a change of holdings means for the open recruitment checks or fetch requests of one person. It is part of the
 * change's records. The store reads both after it has written the change, calls `decide`, and writes the result in the
 * same transaction. `decide` is pure and may be called again. Of transitions at the same time, the last sees the
 * holdings of all.
 */
export interface Progression {
  readonly person: OwnerReference
  /** Recruitment checks for an applicant, fetch requests for a worker. */
  readonly resource: Resource
  /** One whose last day is before this day is not open. */
  readonly today: string
  /** Returns the resources that change. */
  readonly decide: (open: ReadonlyArray<Stored>, holdings: Holdings) => ReadonlyArray<Advance>
}

/** A recruitment check or fetch request that moves on. */
export interface Advance {
  readonly before: Stored
  readonly next: Stored
  readonly audit: AuditEntry
  readonly events: ReadonlyArray<EventDraft>
}

/** Who makes a change, when, and where ids for its records come from. */
export interface ChangedBy {
  readonly now: Instant
  readonly actor: Actor
  readonly auditId: () => string
  readonly eventId: () => string
}
