import type { Actor, AuditEntry } from "../audit/AuditEntry.ts"
import type { EventDraft } from "../event/EventDraft.ts"
import type { Holdings } from "../holding/Holdings.ts"
import type { OwnerReference } from "../ownership/Ownership.ts"
import type { Resource, Stored } from "../resource/Resource.ts"
import type { Moment } from "../shared/CalendarDay.ts"

/**
 * The effect of a change of holdings on one person's open recruitment checks or fetch requests. It is part of the
 * records of a change. After writing the change, the store reads the open invitations and the holdings, calls `decide`
 * and writes the result, all in the same transaction. `decide` is pure and may be called more than once. Of several
 * concurrent changes, the last one sees the holdings that the others wrote.
 */
export interface Progression {
  readonly person: OwnerReference
  /** Recruitment checks for an applicant, fetch requests for a worker. */
  readonly resource: Resource
  /** Invitations with an earlier last day are not open. */
  readonly today: string
  /** Returns the types of the credentials that `decide` needs, each once. */
  readonly credentialTypes: (open: ReadonlyArray<Stored>) => ReadonlyArray<string>
  /** Returns the resources that change. The number of holdings is limited as in `Basis.holdings`. */
  readonly decide: (open: ReadonlyArray<Stored>, holdings: Holdings) => ReadonlyArray<Advance>
}

/** A recruitment check or fetch request with a new status. */
export interface Advance {
  readonly before: Stored
  readonly next: Stored
  readonly audit: AuditEntry
  readonly events: ReadonlyArray<EventDraft>
}

/** The context of a change: time, actor and sources of ids for its records. */
export interface ChangedBy extends Moment {
  readonly actor: Actor
  readonly auditId: () => string
  readonly eventId: () => string
}
