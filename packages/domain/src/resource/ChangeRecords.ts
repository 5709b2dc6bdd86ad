import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { Scan } from "../legacy/Scan.ts"
import type { Progression } from "../screening/Progression.ts"
import type { Instant } from "../shared/Instant.ts"
import type { VerificationDraft } from "../verification/VerificationRecord.ts"
import type { EventDraft } from "../webhook/EventDraft.ts"

/** Records that the store writes in the transaction of a change. */
export interface ChangeRecords {
  readonly audit: ReadonlyArray<AuditEntry>
  readonly events: ReadonlyArray<EventDraft>
  /** Verifications that begin with the change, or that it answers at once. */
  readonly verifications?: ReadonlyArray<VerificationDraft>
  /** Credentials that a register is to be asked about at once, where somebody waits for a verdict on them. */
  readonly reruns?: ReadonlyArray<Rerun>
  /** What the change means for open recruitment checks and fetch requests. */
  readonly progressions?: ReadonlyArray<Progression>
  /** Scans that the change answers. */
  readonly scans?: ReadonlyArray<Scan>
}

/** The run of a credential, where there is one that waits for a person or for its next attempt, is due and counts anew. */
export interface Rerun {
  readonly credentialId: string
  readonly dueAt: Instant
}

export const noRecords: ChangeRecords = { audit: [], events: [] }
