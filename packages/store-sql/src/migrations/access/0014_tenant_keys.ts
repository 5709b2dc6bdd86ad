import type { Migration } from "../../engine/Migration.ts"

/** What grows with a tenant's work is keyed by the tenant, so that several machines can share it out by tenants. */
export const tenantKeys: Migration = {
  id: 14,
  name: "tenant_keys",
  statements: ({ keyByTenant }) =>
    ["audit_event", "event", "account", "oauth_client", "personal_token"].flatMap((table) =>
      keyByTenant(table, `${table}_of_tenant`)
    )
}
