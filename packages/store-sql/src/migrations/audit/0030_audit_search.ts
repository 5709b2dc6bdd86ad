import type { Migration } from "../../engine/Migration.ts"

/** Audit entries by action, kind of bearer and request, found without reading the whole history. */
export const auditSearch: Migration = {
  id: 30,
  name: "audit_search",
  statements: () => [
    "CREATE INDEX audit_event_of_action ON audit_event (tenant_id, action, position)",
    "CREATE INDEX audit_event_of_bearer ON audit_event (tenant_id, bearer_kind, position)",
    "CREATE INDEX audit_event_of_request ON audit_event (tenant_id, request_id, position)"
  ]
}
