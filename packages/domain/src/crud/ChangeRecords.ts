import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { EventDraft } from "../event/EventDraft.ts"
import type { MessageDraft } from "../event/MessageDraft.ts"
import type { Holdings } from "../holding/Holdings.ts"
import type { Scan } from "../holding/Scan.ts"
import type { VerificationDraft } from "../holding/VerificationRecord.ts"
import type { OwnerReference } from "../ownership/Ownership.ts"
import type { Instant } from "../shared/Instant.ts"
import type { JsonObject } from "../shared/Json.ts"
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
  /** The other credentials to verify again after a bar. */
  readonly recheck?: Recheck
  /** Messages to workers and applicants. They are queued if the tenant sends messages of their kinds. */
  readonly messages?: ReadonlyArray<MessageDraft>
  /** Scans that the change completes. */
  readonly scans?: ReadonlyArray<Scan>
  /** The row of an import that the change carries out. */
  readonly imported?: ImportedRow
}

/**
 * Marks a row of an import in the transaction of its change, so that no row is carried out twice. The change fails as a
 * lost race if the row has none of the outcomes `from`.
 */
export interface ImportedRow {
  readonly importId: string
  readonly row: number
  readonly from: ReadonlyArray<string>
  readonly outcome: string
  readonly workerId: string
  /** The entity tag of the worker after the change. */
  readonly tag: string
  /** The fields of the worker before the change; null if they need not be kept. */
  readonly before: JsonObject | null
}

/** Makes the open run of a credential due again, with a new count of attempts. */
export interface Rerun {
  readonly credentialId: string
  readonly dueAt: Instant
}

/**
 * The other credentials of people after a bar on one. After writing the change, the store reads the newest living
 * credentials of these types that the people own, calls `decide` with each once, and stores the verifications with their
 * runs, in the same transaction. `decide` is pure but for new ids, and may be called more than once.
 */
export interface Recheck {
  readonly people: ReadonlyArray<OwnerReference>
  readonly credentialTypes: ReadonlyArray<string>
  readonly decide: (held: Holdings["credentials"]) => ReadonlyArray<VerificationDraft>
}

export const noRecords: ChangeRecords = { audit: [], events: [] }
