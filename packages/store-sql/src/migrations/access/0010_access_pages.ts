import type { Migration } from "../../engine/Migration.ts"

/** Pages clients and tokens in the order of writing, and finds audit entries by the wire names of both. */
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
