import { Schema } from "effect"
import { BearerFields, bearerKinds } from "../access/Caller.ts"
import { Operation } from "../access/Privilege.ts"
import { createdAt, recordedRequestId, typeField } from "../resource/ShownFields.ts"
import type * as Timeline from "../resource/Timeline.ts"
import { WorkerId } from "../shared/Id.ts"
import { toRfc3339 } from "../shared/Instant.ts"
import { type AuditEntry, AuditedType, type AuditField, auditedTypes } from "./AuditEntry.ts"
import { FieldChange } from "./FieldChange.ts"

/** An audit entry on the wire (DECISIONS.md#access): ids, codes, and the present name of the account. */
export const AuditEvent = Schema.Struct({
  id: Schema.String.annotate({ description: "Id of the entry, `aud_…`, assigned by the server." }),
  type: typeField("auditEvent"),
  account: Schema.String.annotate({
    description: "The URN of the account that acted. Every OAuth client acts as the tenant's service account."
  }),
  accountName: Schema.NullOr(Schema.String).annotate({
    description:
      "What the account is called now: the name of the user, or the email address, also of a deactivated user. It is not " +
      "part of the stored entry. Null if the account does not exist."
  }),
  bearer: Schema.NullOr(BearerFields).annotate({
    description:
      "The client, token, session, identity provider or password that authenticated the call. " +
      "Null for the server, the operator, logins and accepted invitations."
  }),
  operation: Operation.annotate({
    description: "Kind of operation on the entity. It is not always the privilege that the call needs."
  }),
  action: Schema.String.annotate({
    description: "Name of the action, such as `create`, `link` or `revoke`. New ones can be added."
  }),
  entityType: AuditedType.annotate({ description: "Type of the changed entity." }),
  entityId: Schema.String.annotate({ description: "Id of the changed entity. The entity can be deleted by now." }),
  otherWorker: Schema.optionalKey(Schema.Struct({ id: WorkerId })).annotateKey({
    description: "The second worker of a merge, of its undo, or of a dismissed pair. Absent otherwise."
  }),
  requestId: recordedRequestId,
  changes: Schema.optionalKey(Schema.NullOr(Schema.Array(FieldChange))).annotateKey({
    description:
      "The changed fields in the order of their names, with `include=changes`; absent otherwise. The service keeps versions " +
      "of workers, credentials, exemptions, bans, compliance checks, screening packages, units, and of what users may " +
      "reach. Null for other records, for an action that changed no field, and for a version that is not kept or was " +
      "erased. Also null if the caller may not READ the record."
  }),
  createdAt
})
export type AuditEvent = typeof AuditEvent.Type

/** Entries in the order of writing, newest first. Times follow this order unless a clock is set back. */
export const auditEvents: Timeline.Timeline<AuditField> = {
  type: "auditEvent",
  filters: {
    entityType: auditedTypes,
    entityId: undefined,
    account: undefined,
    action: undefined,
    bearer: bearerKinds,
    requestId: undefined
  },
  timed: true,
  ends: false,
  newestFirst: true
}

/** The second worker of an entry about two. */
const otherWorkerOf = ({ entityId, entityType, ownership }: AuditEntry) => {
  if (entityType !== "worker" || ownership === undefined) return {}
  const other = [ownership.before.worker, ownership.after.worker].find((id) => id !== null && id !== entityId)
  return other === undefined || other === null ? {} : { otherWorker: { id: other } }
}

/** Returns a function that shows entries with the names of their accounts, by URN. */
export const showNamed = (names: ReadonlyMap<string, string>) => (entry: AuditEntry) => {
  const { account, action, at, bearer, entityId, entityType, id, operation, requestId } = entry
  return {
    id,
    type: "auditEvent",
    account,
    accountName: names.get(account) ?? null,
    bearer: bearer === null ? null : { kind: bearer.kind, id: bearer.id },
    operation,
    action,
    entityType,
    entityId,
    ...otherWorkerOf(entry),
    requestId,
    createdAt: toRfc3339(at)
  } satisfies AuditEvent
}
