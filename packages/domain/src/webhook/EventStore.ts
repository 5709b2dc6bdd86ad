import { Context, type Effect } from "effect"
import type { AuditEntry, AuditField, OwnershipChange } from "../audit/AuditEntry.ts"
import type { SeriesPage, SeriesSelection } from "../resource/Series.ts"
import type { EventDraft } from "./EventDraft.ts"

/** An event as it is kept for delivery. */
export interface StoredEvent extends EventDraft {
  /** Counts the changes of its subject: the subject's version after the change. */
  readonly sequence: number
}

/** An audit entry of a change of owners. */
export type OwnershipEntry = AuditEntry & { readonly ownership: OwnershipChange }

/** What happened: what the changes of resources left behind them (`ResourceStore`, `OwnershipStore`). */
export class EventStore extends Context.Service<
  EventStore,
  {
    /** The tenant's events, the oldest first, after the given position, at most so many. */
    readonly events: (
      tenantId: string,
      afterPosition: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<StoredEvent & { readonly position: number }>>
    /** A page of the tenant's audit entries. One read, and one more where a total is asked for. */
    readonly audit: (tenantId: string, selection: SeriesSelection<AuditField>) => Effect.Effect<SeriesPage<AuditEntry>>
    /** A page of the audit entries that changed the owners of a credential. One read, and one more for a total. */
    readonly ownership: (
      tenantId: string,
      credentialId: string,
      selection: SeriesSelection<never>
    ) => Effect.Effect<SeriesPage<OwnershipEntry>>
  }
>()("@wcs/domain/EventStore") {}
