import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { EventDraft } from "../event/EventDraft.ts"
import type { Scan } from "../holding/Scan.ts"
import type { VerificationDraft } from "../holding/VerificationRecord.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Progression } from "./Progression.ts"

/** Records that the store writes in the transaction of a change. */
export interface ChangeRecords {
  readonly audit: ReadonlyArray<AuditEntry>
  readonly events: ReadonlyArray<EventDraft>
  /** Verifications that start with the change, or that the change completes. */
  readonly verifications?: ReadonlyArray<VerificationDraft>
  /** Credentials to verify again now, if a verification of them is open. */
  readonly reruns?: ReadonlyArray<Rerun>
  /** Effects of the change on open recruitment checks and fetch requests. */
  readonly progressions?: ReadonlyArray<Progression>
  /** Scans that the change completes. */
  readonly scans?: ReadonlyArray<Scan>
}

/** Makes the open run of a credential due again, with a new count of attempts. */
export interface Rerun {
  readonly credentialId: string
  readonly dueAt: Instant
}

export const noRecords: ChangeRecords = { audit: [], events: [] }
