import { Schema } from "effect"
import type { OwnerType } from "../ownership/Ownership.ts"
import type { AuditEntry } from "./AuditEntry.ts"

const { Finite, NullOr, String: Text } = Schema

/** The slots before and after a change of owners. */
const slots = {
  workerBefore: NullOr(Text),
  applicantBefore: NullOr(Text),
  workerAfter: NullOr(Text),
  applicantAfter: NullOr(Text)
} satisfies Record<`${OwnerType}${"Before" | "After"}`, unknown>

/**
 * An audit entry with every stored column. Seals cover it and exports contain it. An owner is null if the entry changes
 * no owners, and '' if the slot is empty. Unlike `AuditEntry`, it also shows values that no reader sees.
 */
export const LoggedEntry = Schema.Struct({
  position: Finite,
  id: Text,
  account: Text,
  bearerKind: NullOr(Text),
  bearerId: NullOr(Text),
  operation: Text,
  action: Text,
  entityType: Text,
  entityId: Text,
  requestId: Text,
  at: Finite,
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
