import type { ColumnTypes } from "../../engine/Dialect.ts"
import type { Migration } from "../../engine/Migration.ts"

const columns = ["account", "bearer_kind", "bearer_id"]

/** Existing tokens and clients take their maker from the audit log. */
const createdBy = (table: string, id: string, entityType: string, { text }: ColumnTypes): ReadonlyArray<string> => [
  ...columns.map((column) => `ALTER TABLE ${table} ADD COLUMN created_by_${column} ${text}`),
  `UPDATE ${table} SET (${columns.map((column) => `created_by_${column}`).join(", ")}) = (
    SELECT a.account, a.bearer_kind, a.bearer_id FROM audit_event AS a
    WHERE a.tenant_id = ${table}.tenant_id AND a.entity_id = ${table}.${id}
      AND a.entity_type = '${entityType}' AND a.action = 'create' ORDER BY a.position LIMIT 1)`,
  `CREATE INDEX ${table}_of_maker ON ${table} (tenant_id, created_by_bearer_id)`
]

/** The maker of each token and client, with the bearer used, and the expiry of clients. */
export const createdByColumns: Migration = {
  id: 25,
  name: "created_by",
  statements: (types) => [
    ...createdBy("personal_token", "id", "accessToken", types),
    ...createdBy("oauth_client", "client_id", "apiClient", types),
    "CREATE INDEX oauth_client_of_creator ON oauth_client (tenant_id, created_by_account)",
    `ALTER TABLE oauth_client ADD COLUMN expires_at ${types.integer}`
  ]
}
