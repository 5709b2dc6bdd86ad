import { Context, type Effect } from "effect"
import type { Scan } from "./Scan.ts"
import type { AuditEntry } from "./Trail.ts"

/** Keeps the scans of the legacy surface. Infrastructure failures die. */
export class ScanStore extends Context.Service<
  ScanStore,
  {
    /** Stores the scan and the audit entry, in one transaction. */
    readonly insert: (scan: Scan, audit: AuditEntry) => Effect.Effect<void>
    /** The tenant's scans, the oldest first, after the one with this correlation id (`""`: all), at most so many. */
    readonly list: (tenantId: string, afterCorrelationId: string, limit: number) => Effect.Effect<ReadonlyArray<Scan>>
  }
>()("@wcs/domain/ScanStore") {}
