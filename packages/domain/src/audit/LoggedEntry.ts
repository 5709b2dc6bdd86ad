import { Schema } from "effect"
import type { OwnerType } from "../ownership/Ownership.ts"
import type { AuditEntry } from "./AuditEntry.ts"

const { Finite, NullOr, String: Text } = Schema

/** The slots before and after a change of owners. */
const slots = {
  workerBefore: NullOr(Text).annotate({
    description: "Worker who owned the credential before. Null without a change."
  }),
  applicantBefore: NullOr(Text).annotate({ description: "Applicant who owned it before. Null without a change." }),
  workerAfter: NullOr(Text).annotate({ description: "Worker who owns the credential after. Null without a change." }),
  applicantAfter: NullOr(Text).annotate({ description: "Applicant who owns it after. Null without a change." })
} satisfies Record<`${OwnerType}${"Before" | "After"}`, unknown>

/**
 * An audit entry with every stored column. Seals cover it and exports contain it. An owner is null if the entry changes
 * no owners, and '' if the slot is empty. Unlike `AuditEntry`, it also shows values that no reader sees.
 */
export const LoggedEntry = Schema.Struct({
  position: Finite.annotate({ description: "Position in the audit log." }),
  id: Text.annotate({ description: "Id of the entry, `aud_…`." }),
  account: Text.annotate({ description: "The URN of the account that acted." }),
  bearerKind: NullOr(Text).annotate({ description: "Kind of bearer that authenticated the call. Null for none." }),
  bearerId: NullOr(Text).annotate({ description: "Id of that bearer. Null for none." }),
  operation: Text.annotate({ description: "Kind of operation on the entity." }),
  action: Text.annotate({ description: "Name of the action, such as `create`." }),
  entityType: Text.annotate({ description: "Type of the changed entity." }),
  entityId: Text.annotate({ description: "Id of the changed entity." }),
  requestId: Text.annotate({ description: "Id of the request that made the change." }),
  at: Finite.annotate({ description: "Time of the change, in milliseconds since 1970." }),
  ...slots
})
export type LoggedEntry = typeof LoggedEntry.Type

/** Returns the stored form of an entry. */
export const loggedEntry = (position: number, entry: AuditEntry): LoggedEntry => {
  const { account, action, at, bearer, entityId, entityType, id, operation, ownership, requestId } = entry
  const slot = (side: "before" | "after", name: OwnerType) =>
    ownership === undefined ? null : (ownership[side][name] ?? "")
  return {
    position,
    id,
    account,
    bearerKind: bearer?.kind ?? null,
    bearerId: bearer?.id ?? null,
    operation,
    action,
    entityType,
    entityId,
    requestId,
    at,
    workerBefore: slot("before", "worker"),
    applicantBefore: slot("before", "applicant"),
    workerAfter: slot("after", "worker"),
    applicantAfter: slot("after", "applicant")
  }
}

const fields = Object.keys(LoggedEntry.fields) as ReadonlyArray<keyof LoggedEntry>

/**
 * Returns the canonical text of an entry: its values in the order of the fields, as a JSON array. Seals have its digest,
 * so another field or order breaks the seals of stored entries.
 */
export const canonical = (entry: LoggedEntry): string => JSON.stringify(fields.map((field) => entry[field]))
