import { Context, type Effect } from "effect"
import type { EventDraft } from "../event/EventDraft.ts"
import type { TimelinePage, TimelineSelection } from "../resource/Timeline.ts"
import type { AuditEntry, AuditField, OwnershipChange } from "./AuditEntry.ts"

/** An event stored for delivery. */
export interface StoredEvent extends EventDraft {
  /** Orders the events of the subject: its version after the change. */
  readonly sequence: number
}

/** An audit entry of an ownership change. */
export type OwnershipEntry = AuditEntry & { readonly ownership: OwnershipChange }

/** Reads the events and audit entries that `ResourceStore` and `OwnershipStore` wrote. */
export class EventStore extends Context.Service<
  EventStore,
  {
    /** The tenant's events after the position, oldest first. */
    readonly events: (
      tenantId: string,
      afterPosition: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<StoredEvent & { readonly position: number }>>
    /** A page of the tenant's audit log, and a total. Takes bounded reads like `ResourceStore.list`. */
    readonly audit: (
      tenantId: string,
      selection: TimelineSelection<AuditField>
    ) => Effect.Effect<TimelinePage<AuditEntry>>
    /** A page of the ownership changes of a credential. One query, plus one for a total. */
    readonly ownership: (
      tenantId: string,
      credentialId: string,
      selection: TimelineSelection<never>
    ) => Effect.Effect<TimelinePage<OwnershipEntry>>
  }
>()("@wcs/domain/EventStore") {}
