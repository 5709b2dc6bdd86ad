import type { Migration } from "../../engine/Migration.ts"

/** Clients and tokens page by page in the order of writing, and the audit history by the names that the wire has for both. */
export const accessPages: Migration = {
  id: 10,
  name: "access_pages",
  statements: () => [
    "DROP INDEX oauth_client_of_tenant",
    "CREATE INDEX oauth_client_of_tenant ON oauth_client (tenant_id, position)",
    "DROP INDEX personal_token_of_tenant",
    "CREATE INDEX personal_token_of_tenant ON personal_token (tenant_id, position)",
    "CREATE INDEX personal_token_of_account ON personal_token (tenant_id, account_id, position)",
    "UPDATE audit_event SET entity_type = 'accessToken' WHERE entity_type = 'personalToken'",
    "UPDATE audit_event SET entity_type = 'apiClient' WHERE entity_type = 'oauthClient'"
  ]
}
