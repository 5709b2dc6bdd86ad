import { Pool, type PoolClient, type QueryResult } from "pg"
import { poolSize } from "../data/DatabaseUrl.ts"
import type { Answer } from "./Answer.ts"
import type { Caller } from "./Gate.ts"
import { type AccessQueries, bigintAsNumber, learntAccess } from "./LearntAccess.ts"
import { decide, eventData, linkedTo, type Owner } from "./Link.ts"
import { idText } from "./RandomText.ts"
import type { CredentialRow, PostgresRow } from "./Store.ts"

const selectCredential = `SELECT id, version, created_at, updated_at, deleted_at, document, worker_id, applicant_id,
    credential_type, jurisdiction
  FROM credential WHERE tenant_id = $1 AND id = $2`

/** The prepared statements, by name. */
const statements = {
  credential: selectCredential,
  "credential for update": `${selectCredential} FOR UPDATE`,
  worker: "SELECT 1 AS one FROM worker WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL FOR SHARE",
  applicant: "SELECT 1 AS one FROM applicant WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL FOR SHARE",
  "link worker": `UPDATE credential SET worker_id = $1, version = version + 1, updated_at = $2
    WHERE tenant_id = $3 AND id = $4 AND version = $5`,
  "link applicant": `UPDATE credential SET applicant_id = $1, version = version + 1, updated_at = $2
    WHERE tenant_id = $3 AND id = $4 AND version = $5`,
  audit: `INSERT INTO audit_event (tenant_id, id, account, bearer_kind, bearer_id, operation, action, entity_type,
      entity_id, request_id, at)
    VALUES ($1, $2, $3, 'personal', $4, 'UPDATE', 'link', 'credential', $5, $6, $7)`,
  event: `INSERT INTO event (tenant_id, id, kind, subject_id, sequence, correlation_id, data, credential_type,
      jurisdiction, at, state)
    SELECT CAST($1 AS TEXT), $2, 'credential.updated', $3, $4, NULL, $5, $6, $7, $8, 'pending'
    WHERE EXISTS (SELECT 1 FROM subscription WHERE tenant_id = $1 AND kind = 'credential.updated')`,
  token: `SELECT t.id, t.tenant_id, t.account_id, a.role, t.expires_at, t.revoked_at, a.deactivated_at, t.last_used_at
    FROM personal_token AS t JOIN account AS a ON a.id = t.account_id AND a.tenant_id = t.tenant_id
    WHERE t.token_hash = $1`,
  touch: "UPDATE personal_token SET last_used_at = $1 WHERE id = $2",
  revoke: "UPDATE personal_token SET revoked_at = $1 WHERE tenant_id = $2 AND id = $3",
  "tenant of host": "SELECT tenant_id FROM tenant_host WHERE host = $1"
} as const

const makePool = (url: string): Pool => {
  const pool = new Pool({ connectionString: url, max: poolSize, types: bigintAsNumber })
  // A connection that breaks while idle is replaced when needed.
  pool.on("error", () => undefined)
  return pool
}

type Ask = (name: keyof typeof statements, ...values: ReadonlyArray<unknown>) => Promise<QueryResult>

const askBy =
  (client: Pool | PoolClient): Ask =>
  (name, ...values) =>
    client.query({ name, text: statements[name], values: [...values] })

/** The queries of the checks. */
const accessQueries = (ask: Ask): AccessQueries => ({
  tenantOfHost: async (host) => (await ask("tenant of host", host)).rows[0],
  token: async (digest) => (await ask("token", digest)).rows[0],
  touch: (now, tokenId) => ask("touch", now, tokenId),
  revoke: (now, tenantId, tokenId) => ask("revoke", now, tenantId, tokenId)
})

const write = async (
  ask: Ask,
  { account, tenantId, tokenId }: Caller,
  row: PostgresRow,
  owner: Owner,
  requestId: string,
  now: number
): Promise<CredentialRow> => {
  const { id, version } = row
  const { rowCount } = await ask(`link ${owner.type}`, owner.id, now, tenantId, id, version)
  if (rowCount !== 1) throw new Error("the row changed inside the transaction")
  const linked = linkedTo(row, owner, now)
  await ask("audit", tenantId, `aud_${idText()}`, account, tokenId, id, requestId, now)
  const about = [row.credential_type, row.jurisdiction || null]
  await ask("event", tenantId, `evt_${idText()}`, id, linked.version, eventData(linked, now), ...about, now)
  return linked
}

const transact = async (
  ask: Ask,
  caller: Caller,
  id: string,
  owner: Owner,
  requestId: string,
  now: number
): Promise<CredentialRow | Answer> => {
  const found = await ask("credential for update", caller.tenantId, id)
  const present = await ask(owner.type, caller.tenantId, owner.id)
  const decision = decide<PostgresRow>(found.rows[0], present.rows.length > 0, id, owner, requestId)
  return decision._tag === "Write" ? write(ask, caller, decision.row, owner, requestId, now) : decision.answer
}

/** The store in a database: a connection pool with prepared statements. */
export const openPostgres = (url: string) => {
  const pool = makePool(url)
  const ask = askBy(pool)
  return {
    access: learntAccess(accessQueries(ask)),

    read: async (tenantId: string, id: string): Promise<CredentialRow | undefined> =>
      (await ask("credential", tenantId, id)).rows[0],

    /** In one transaction: read and lock the credential and the owner, write slots, audit entry and event, COMMIT. */
    link: async (caller: Caller, id: string, owner: Owner, requestId: string, now: number) => {
      const client = await pool.connect()
      try {
        await client.query("BEGIN")
        const outcome = await transact(askBy(client), caller, id, owner, requestId, now)
        await client.query("COMMIT")
        return outcome
      } catch (error) {
        await client.query("ROLLBACK")
        throw error
      } finally {
        client.release()
      }
    },

    close: () => pool.end()
  }
}
