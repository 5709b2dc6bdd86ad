import type { Migration } from "../../engine/Migration.ts"

/** What happened to things of one type, found without reading the whole history. */
export const auditTypes: Migration = {
  id: 12,
  name: "audit_types",
  statements: () => ["CREATE INDEX audit_event_of_type ON audit_event (tenant_id, entity_type, position)"]
}
