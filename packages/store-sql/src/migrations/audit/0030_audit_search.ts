import type { Migration } from "../../engine/Migration.ts"

/** Finds audit entries by action, kind of bearer and request by index. */
export const auditSearch: Migration = {
  id: 30,
  name: "audit_search",
  statements: () => [
    "CREATE INDEX audit_event_of_action ON audit_event (tenant_id, action, position)",
    "CREATE INDEX audit_event_of_bearer ON audit_event (tenant_id, bearer_kind, position)",
    "CREATE INDEX audit_event_of_request ON audit_event (tenant_id, request_id, position)"
  ]
}
