import type { Migration } from "../Migration.ts"

/**
 * The owners before and after a change stand in the change's audit entry: a transition writes no further row. Older
 * entries, and those of an older server that still writes, have none.
 */
export const ownershipChange: Migration = {
  id: 29,
  name: "ownership_change",
  statements: ({ text }) => [
    ...["worker_before", "applicant_before", "worker_after", "applicant_after"].map(
      (column) => `ALTER TABLE audit_event ADD COLUMN ${column} ${text}`
    ),
    `CREATE INDEX audit_event_of_ownership ON audit_event (tenant_id, entity_id, position)
      WHERE worker_after IS NOT NULL`
  ]
}
