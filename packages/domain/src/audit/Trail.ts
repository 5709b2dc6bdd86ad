import { Effect, Schema } from "effect"
import type { Bearer, Caller } from "../access/Caller.ts"
import { entityTypes, type Operation } from "../access/Privilege.ts"
import type { Scan } from "../legacy/Scan.ts"
import type { Owners } from "../ownership/Ownership.ts"
import type { Progression } from "../screening/Progression.ts"
import type { Ids } from "../shared/Id.ts"
import type { Instant } from "../shared/Instant.ts"
import type { VerificationDraft } from "../verification/VerificationRecord.ts"
import type { EventKind } from "../webhook/EventKind.ts"

/** What the audit history speaks of: what privileges are about, and what only the operator and the server touch. */
export const auditedTypes = [
  ...entityTypes,
  "tenant",
  "account",
  "event",
  "legacyToken",
  "scan",
  "secondFactor",
  "signingKey"
] as const satisfies ReadonlyArray<string>
export const AuditedType = Schema.Literals(auditedTypes)
export type AuditedType = typeof AuditedType.Type

/** The owners of a credential around one change. */
export interface OwnershipChange {
  readonly before: Owners
  readonly after: Owners
}

/** Who did what to what, kept for good (decisions, section 6). */
export interface AuditEntry {
  readonly id: string
  /** The acting account's URN; an administrator at the command line is `urn:wcs:operator`. */
  readonly account: string
  /** The token that was used, or null for the command line. */
  readonly bearer: Bearer | null
  readonly operation: Operation
  /** What was done, in the interface's word: `create`, `link`, `revoke` … */
  readonly action: string
  readonly entityType: AuditedType
  readonly entityId: string
  readonly requestId: string
  readonly at: Instant
  /** Present only if the action changed the owners of the credential `entityId`. */
  readonly ownership?: OwnershipChange
}

/** The fields of an audit entry that its list can be filtered by; `bearer` is the kind of bearer. */
export type AuditField = "entityType" | "entityId" | "account" | "action" | "bearer" | "requestId"

/** Something that happened to a resource, for the webhooks that subscribe to its kind. */
export interface EventDraft {
  readonly id: string
  readonly kind: EventKind
  /** The resource that it happened to. */
  readonly subjectId: string
  /** Counts what is told of the resource; left out, it is the resource's version after the change. */
  readonly sequence?: number
  readonly correlationId: string | null
  /** What the delivery will carry under `data`: ids and verdicts, never names, birth dates or card numbers. */
  readonly data: unknown
  /** What webhooks may filter by, which the delivery need not carry. */
  readonly about: EventSubject
  readonly at: Instant
}

/** What an event is about, as a webhook's filters see it; null where it is about nothing of the kind. */
export interface EventSubject {
  /** A code of the catalogue. */
  readonly credentialType: string | null
  readonly jurisdiction: string | null
}

/** What is written in the same transaction as the change itself. */
export interface Trail {
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

export const noTrail: Trail = { audit: [], events: [] }

/** The acting side of an audit entry, the same for everything that one request does. */
export interface Actor {
  readonly account: string
  readonly bearer: Bearer | null
  readonly requestId: string
}

/** What is done to what. */
export type Deed = Pick<AuditEntry, "operation" | "action" | "entityType" | "entityId">

/** The entry of what an actor does at a moment. */
export const entryOf = (id: string, actor: Actor, deed: Deed, at: Instant): AuditEntry => ({
  id,
  ...actor,
  ...deed,
  at
})

/** Makes the same, with an id of its own. */
export const makeAudit = (ids: Ids["Service"]) => (actor: Actor, deed: Deed, at: Instant) =>
  Effect.map(ids.mint("audit"), (id) => entryOf(id, actor, deed, at))

export const operatorUrn = "urn:wcs:operator"

export const serverUrn = "urn:wcs:server"

/** The server itself, where it acts of its own accord: it rotates the keys that sign, and gives webhooks up. */
export const serverActing = (requestId: string): Actor => ({ account: serverUrn, bearer: null, requestId })

export const actorOf = (caller: Caller["Service"], requestId: string): Actor => ({
  account: caller.account,
  bearer: caller.bearer,
  requestId
})
