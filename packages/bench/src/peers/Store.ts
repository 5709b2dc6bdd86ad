import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"

export interface CredentialRow {
  readonly id: string
  readonly version: number
  readonly created_at: number
  readonly updated_at: number
  readonly deleted_at: number | null
  readonly document: string
  readonly worker_id: string
  readonly applicant_id: string
  readonly credential_type: string
}

/** The columns of a credential on Postgres, with those that only events need. */
export interface PostgresRow extends CredentialRow {
  readonly jurisdiction: string
}

export interface TokenRow {
  readonly id: string
  readonly tenant_id: string
  readonly account_id: string
  readonly role: string
  readonly expires_at: number | null
  readonly revoked_at: number | null
  readonly deactivated_at: number | null
  readonly last_used_at: number | null
}

/** The store of a data directory, opened like ours, with the peers' prepared statements. */
export const openStore = (directory: string) => {
  const database = new DatabaseSync(join(directory, "wcs.sqlite"), { timeout: 2000, enableForeignKeyConstraints: true })
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536")
  const presence = (table: string) =>
    database.prepare(`SELECT 1 AS one FROM ${table} WHERE tenant_id = ? AND id = ? AND deleted_at IS NULL`)
  const update = (column: string) =>
    database.prepare(`UPDATE credential SET ${column} = ?, version = version + 1, updated_at = ?
      WHERE tenant_id = ? AND id = ? AND version = ?`)
  return {
    credential: database.prepare(`SELECT id, version, created_at, updated_at, deleted_at, document, worker_id,
        applicant_id, credential_type
      FROM credential WHERE tenant_id = ? AND id = ?`),
    presence: { worker: presence("worker"), applicant: presence("applicant") },
    update: { worker: update("worker_id"), applicant: update("applicant_id") },
    audit: database.prepare(`INSERT INTO audit_event (tenant_id, id, account, bearer_kind, bearer_id, operation, action,
        entity_type, entity_id, request_id, at)
      VALUES (?, ?, ?, 'personal', ?, 'UPDATE', 'link', 'credential', ?, ?, ?)`),
    event: database.prepare(`INSERT INTO event (tenant_id, id, kind, subject_id, sequence, correlation_id, data, at,
        state)
      SELECT ?1, ?2, 'credential.updated', ?3, ?4, NULL, ?5, ?6, 'pending'
      WHERE EXISTS (SELECT 1 FROM subscription WHERE tenant_id = ?1 AND kind = 'credential.updated')`),
    token: database.prepare(`SELECT t.id, t.tenant_id, t.account_id, a.role, t.expires_at, t.revoked_at,
        a.deactivated_at, t.last_used_at
      FROM personal_token AS t JOIN account AS a ON a.id = t.account_id AND a.tenant_id = t.tenant_id
      WHERE t.token_hash = ?`),
    touch: database.prepare("UPDATE personal_token SET last_used_at = ? WHERE id = ?"),
    revoke: database.prepare("UPDATE personal_token SET revoked_at = ? WHERE tenant_id = ? AND id = ?"),
    tenantOfHost: database.prepare("SELECT tenant_id FROM tenant_host WHERE host = ?"),
    begin: database.prepare("BEGIN IMMEDIATE"),
    commit: database.prepare("COMMIT"),
    rollback: database.prepare("ROLLBACK"),
    close: () => database.close()
  }
}

export type Store = ReturnType<typeof openStore>
