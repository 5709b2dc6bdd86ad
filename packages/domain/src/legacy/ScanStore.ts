import { Context, type Effect } from "effect"
import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { Scan, ScanField } from "../holding/Scan.ts"
import type { TimelinePage, TimelineSelection } from "../resource/Timeline.ts"

/** Stores the scans of the legacy surface. Infrastructure failures are defects. */
export class ScanStore extends Context.Service<
  ScanStore,
  {
    /** Stores the scan and the audit entry, in one transaction. */
    readonly insert: (scan: Scan, audit: AuditEntry) => Effect.Effect<void>
    /**
     * Returns a page of the tenant's scans in the order of writing. Identifiers are compared by `cardKey`. A caller who is
     * limited to units gets those that matched a credential that the caller reaches.
     */
    readonly list: (tenantId: string, selection: TimelineSelection<ScanField>) => Effect.Effect<TimelinePage<Scan>>
  }
>()("@wcs/domain/ScanStore") {}
