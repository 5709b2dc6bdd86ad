import type { Migration } from "../../engine/Migration.ts"

/**
 * Stores the owners before and after a change in its audit entry, so a transition writes no further row. Older entries,
 * and those of an older server that still writes, have none. The index of an entity's entries tells which ones changed
 * owners. A separate index would cost a link five times as much.
 */
export const ownershipChange: Migration = {
  id: 29,
  name: "ownership_change",
  statements: ({ text }) => [
    ...["worker_before", "applicant_before", "worker_after", "applicant_after"].map(
      (column) => `ALTER TABLE audit_event ADD COLUMN ${column} ${text}`
    ),
    "DROP INDEX audit_event_of_entity",
    "CREATE INDEX audit_event_of_entity ON audit_event (tenant_id, entity_id, position, worker_after)"
  ]
}
