import type { Migration } from "../../engine/Migration.ts"

/** Finds the audit entries of one entity type by index. */
export const auditTypes: Migration = {
  id: 12,
  name: "audit_types",
  statements: () => ["CREATE INDEX audit_event_of_type ON audit_event (tenant_id, entity_type, position)"]
}
