import type { Migration } from "../../engine/Migration.ts"

/** Web login: browser sessions and second factors. */
export const login: Migration = {
  id: 26,
  name: "login",
  statements: ({ integer, keyByTenant, position, tableEnd, text }) => [
    `CREATE TABLE session (
      position ${position},
      id ${text} NOT NULL UNIQUE,
      tenant_id ${text} NOT NULL,
      account_id ${text} NOT NULL,
      token_hash ${text} NOT NULL UNIQUE,
      method ${text} NOT NULL,
      user_agent ${text} NOT NULL,
      created_at ${integer} NOT NULL,
      authenticated_at ${integer} NOT NULL,
      seen_at ${integer} NOT NULL,
      expires_at ${integer} NOT NULL,
      revoked_at ${integer}
    )${tableEnd}`,
    "CREATE INDEX session_of_tenant ON session (tenant_id, position)",
    "CREATE INDEX session_of_account ON session (tenant_id, account_id, position)",
    ...keyByTenant("session", "session_of_tenant"),
    `CREATE TABLE second_factor (
      tenant_id ${text} NOT NULL,
      account_id ${text} NOT NULL,
      sealed_seed ${text} NOT NULL,
      created_at ${integer} NOT NULL,
      confirmed_at ${integer},
      last_step ${integer} NOT NULL,
      recovery_hashes ${text} NOT NULL,
      failures ${text} NOT NULL,
      PRIMARY KEY (tenant_id, account_id)
    )${tableEnd}`
  ]
}
