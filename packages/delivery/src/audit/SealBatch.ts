import type { AuditSealStore } from "@wcs/domain/audit/AuditSealStore"
import type { LoggedEntry } from "@wcs/domain/audit/LoggedEntry"
import { isRecordKind, type RecordKind, type RecordVersion } from "@wcs/domain/audit/RecordVersion"
import { type Array as Arr, Effect } from "effect"

/** The maximum number of versions of records that a seal names. A single record with more has its newest ones. */
export const versionsMax = 512

type Unsealed = AuditSealStore["Service"]["unsealedVersions"]

/** The versions of the records of entries that no seal names yet. */
const versionsOf = Effect.fnUntraced(function* (
  unsealed: Unsealed,
  tenantId: string,
  entries: ReadonlyArray<LoggedEntry>
) {
  const records = entries.flatMap(({ entityId: id, entityType: kind }) => (isRecordKind(kind) ? [{ kind, id }] : []))
  const found: Array<RecordVersion> = []
  for (const [kind, some] of Map.groupBy(records, (record): RecordKind => record.kind)) {
    const distinct = [...new Set(some.map(({ id }) => id))]
    found.push(...(yield* unsealed(tenantId, kind, distinct, versionsMax + 1)))
  }
  return found
})

/**
 * Returns the first of these entries whose versions fit into a seal, and these versions: all entries, or half of them,
 * and so on. The rest waits for the next seal, since no later entry would bring its versions back.
 */
export const fitting = Effect.fnUntraced(function* (
  unsealed: Unsealed,
  tenantId: string,
  entries: Arr.NonEmptyReadonlyArray<LoggedEntry>
) {
  let taken = entries
  let found = yield* versionsOf(unsealed, tenantId, taken)
  while (found.length > versionsMax && taken.length > 1) {
    taken = [taken[0], ...taken.slice(1, Math.floor(taken.length / 2))]
    found = yield* versionsOf(unsealed, tenantId, taken)
  }
  return { taken, found: found.slice(0, versionsMax) }
})
