import type { Migration } from "../../engine/Migration.ts"

/**
 * Puts the tenant into the keys of tables that grow with a tenant's work, so that they can be distributed by tenant.
 */
export const tenantKeys: Migration = {
  id: 14,
  name: "tenant_keys",
  statements: ({ keyByTenant }) =>
    ["audit_event", "event", "account", "oauth_client", "personal_token"].flatMap((table) =>
      keyByTenant(table, `${table}_of_tenant`)
    )
}
