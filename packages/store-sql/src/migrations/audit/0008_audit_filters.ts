import type { Migration } from "../../engine/Migration.ts"

/** Finds the audit entries of one entity or one account by index. */
export const auditFilters: Migration = {
  id: 8,
  name: "audit_filters",
  statements: () => [
    "CREATE INDEX audit_event_of_entity ON audit_event (tenant_id, entity_id, position)",
    "CREATE INDEX audit_event_of_account ON audit_event (tenant_id, account, position)"
  ]
}
