import { Effect, Schema } from "effect"
import type { Bearer, Caller } from "../access/Caller.ts"
import { entityTypes, type Operation } from "../access/Privilege.ts"
import type { Owners } from "../ownership/Ownership.ts"
import type { Ids } from "../shared/Id.ts"
import type { Instant } from "../shared/Instant.ts"

/** The entity types of the audit log: those of privileges, and those that only the operator and the server change. */
export const auditedTypes = [
  ...entityTypes,
  "tenant",
  "account",
  "document",
  "event",
  "host",
  "legacyToken",
  "note",
  "scan",
  "secondFactor",
  "signingKey"
] as const satisfies ReadonlyArray<string>
export const AuditedType = Schema.Literals(auditedTypes)
export type AuditedType = typeof AuditedType.Type

/** The owners of a credential before and after one change. */
export interface OwnershipChange {
  readonly before: Owners
  readonly after: Owners
}

/** A permanent entry of the audit log (DECISIONS.md#access). */
export interface AuditEntry {
  readonly id: string
  /** The URN of the acting account; `urn:wcs:operator` for the command line. */
  readonly account: string
  /** The bearer used; null for the command line. */
  readonly bearer: Bearer | null
  readonly operation: Operation
  /** The operation's name in the API: `create`, `link`, `revoke` … */
  readonly action: string
  readonly entityType: AuditedType
  readonly entityId: string
  readonly requestId: string
  readonly at: Instant
  /**
   * Present if the action changed the owners of the credential `entityId`. An entry about two workers, such as a merge,
   * names them as the worker before and after.
   */
  readonly ownership?: OwnershipChange
}

/** The fields by which the audit log can be filtered. `bearer` is the kind of bearer. */
export type AuditField = "entityType" | "entityId" | "account" | "action" | "bearer" | "requestId"

/** The acting side of an audit entry, the same for all entries of one request. */
export interface Actor {
  readonly account: string
  readonly bearer: Bearer | null
  readonly requestId: string
}

/** The action and its subject. */
export type AuditedAction = Pick<AuditEntry, "operation" | "action" | "entityType" | "entityId">

export const entryOf = (id: string, actor: Actor, auditedAction: AuditedAction, at: Instant): AuditEntry => ({
  id,
  ...actor,
  ...auditedAction,
  at
})

/** Returns a function that makes an audit entry with a new id. */
export const makeAudit = (ids: Ids["Service"]) => (actor: Actor, auditedAction: AuditedAction, at: Instant) =>
  Effect.map(ids.mint("audit"), (id) => entryOf(id, actor, auditedAction, at))

export const operatorUrn = "urn:wcs:operator"

export const serverUrn = "urn:wcs:server"

/** The person who answers a request, by the page of its link. The answer says who that is. */
export const answererUrn = "urn:wcs:answerer"

/** The actor of what a person does on the page of a link. */
export const personActing = (requestId: string): Actor => ({ account: answererUrn, bearer: null, requestId })

/** The actor of the server's own actions, such as rotating signing keys and disabling webhooks. */
export const serverActing = (requestId: string): Actor => ({ account: serverUrn, bearer: null, requestId })

export const actorOf = (caller: Caller["Service"], requestId: string): Actor => ({
  account: caller.account,
  bearer: caller.bearer,
  requestId
})
