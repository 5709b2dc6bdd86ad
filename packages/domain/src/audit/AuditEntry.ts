import { Effect, Schema } from "effect"
import type { Bearer, Caller } from "../access/Caller.ts"
import { entityTypes, type Operation } from "../access/Privilege.ts"
import type { Owners } from "../ownership/Ownership.ts"
import type { Ids } from "../shared/Id.ts"
import type { Instant } from "../shared/Instant.ts"

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

/** Who did what to what, kept for good (DECISIONS.md#access). */
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

/** The acting side of an audit entry, the same for everything that one request does. */
export interface Actor {
  readonly account: string
  readonly bearer: Bearer | null
  readonly requestId: string
}

/** What is done to what. */
export type AuditedAction = Pick<AuditEntry, "operation" | "action" | "entityType" | "entityId">

/** The entry of what an actor does at a moment. */
export const entryOf = (id: string, actor: Actor, auditedAction: AuditedAction, at: Instant): AuditEntry => ({
  id,
  ...actor,
  ...auditedAction,
  at
})

/** Makes the same, with an id of its own. */
export const makeAudit = (ids: Ids["Service"]) => (actor: Actor, auditedAction: AuditedAction, at: Instant) =>
  Effect.map(ids.mint("audit"), (id) => entryOf(id, actor, auditedAction, at))

export const operatorUrn = "urn:wcs:operator"

export const serverUrn = "urn:wcs:server"

/** The server itself, where it acts of its own accord: it rotates the keys that sign, and gives webhooks up. */
export const serverActing = (requestId: string): Actor => ({ account: serverUrn, bearer: null, requestId })

export const actorOf = (caller: Caller["Service"], requestId: string): Actor => ({
  account: caller.account,
  bearer: caller.bearer,
  requestId
})
