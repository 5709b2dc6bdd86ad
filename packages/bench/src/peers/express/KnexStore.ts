import knex, { type Knex } from "knex"
import { poolSize } from "../../data/DatabaseUrl.ts"
import type { Answer } from "../Answer.ts"
import type { Caller } from "../Gate.ts"
import { type AccessQueries, bigintAsNumber } from "../LearntAccess.ts"
import { decide, eventData, linkedTo, type Owner } from "../Link.ts"
import { idText } from "../RandomText.ts"
import type { CredentialRow, PostgresRow } from "../Store.ts"

const credentialColumns = [
  "id",
  "version",
  "created_at",
  "updated_at",
  "deleted_at",
  "document",
  "worker_id",
  "applicant_id",
  "credential_type",
  "jurisdiction"
]

const tokenColumns = [
  "personal_token.id",
  "personal_token.tenant_id",
  "personal_token.account_id",
  "account.role",
  "personal_token.expires_at",
  "personal_token.revoked_at",
  "account.deactivated_at",
  "personal_token.last_used_at"
]

/** A connection pool of Knex. */
export const openKnex = (url: string): Knex =>
  knex({
    client: "pg",
    connection: { connectionString: url, types: bigintAsNumber },
    pool: { min: 0, max: poolSize }
  })

/** The queries of the checks. */
export const accessQueries = (db: Knex): AccessQueries => ({
  tenantOfHost: (host) => db("tenant_host").where({ host }).first("tenant_id"),
  token: (digest) =>
    db("personal_token")
      .join("account", {
        "account.id": "personal_token.account_id",
        "account.tenant_id": "personal_token.tenant_id"
      })
      .where({ token_hash: digest })
      .first(tokenColumns),
  touch: async (now, id) => db("personal_token").where({ id }).update({ last_used_at: now }),
  revoke: async (now, tenant_id, id) => db("personal_token").where({ tenant_id, id }).update({ revoked_at: now })
})

export const readCredential = (db: Knex, tenant_id: string, id: string): Promise<CredentialRow | undefined> =>
  db("credential").where({ tenant_id, id }).first<PostgresRow | undefined>(credentialColumns)

const write = async (
  trx: Knex.Transaction,
  { account, tenantId: tenant_id, tokenId }: Caller,
  row: PostgresRow,
  owner: Owner,
  requestId: string,
  now: number
): Promise<CredentialRow> => {
  const { credential_type, id, jurisdiction, version } = row
  const linked = linkedTo(row, owner, now)
  const changed = await trx("credential")
    .where({ tenant_id, id, version })
    .update({ [`${owner.type}_id`]: owner.id, version: linked.version, updated_at: now })
  if (changed !== 1) throw new Error("the row changed inside the transaction")
  await trx("audit_event").insert({
    tenant_id,
    id: `aud_${idText()}`,
    account,
    bearer_kind: "personal",
    bearer_id: tokenId,
    operation: "UPDATE",
    action: "link",
    entity_type: "credential",
    entity_id: id,
    request_id: requestId,
    at: now
  })
  const kind = "credential.updated"
  const subscriber = await trx("subscription").where({ tenant_id, kind }).first("subscriber_id")
  if (subscriber === undefined) return linked
  await trx("event").insert({
    tenant_id,
    id: `evt_${idText()}`,
    kind,
    subject_id: id,
    sequence: linked.version,
    data: eventData(linked, now),
    credential_type,
    jurisdiction: jurisdiction || null,
    at: now,
    state: "pending"
  })
  return linked
}

/** Links in one transaction: read and lock the credential and the owner, write slots, audit entry and event. */
export const linkCredential = (
  db: Knex,
  caller: Caller,
  id: string,
  owner: Owner,
  requestId: string,
  now: number
): Promise<CredentialRow | Answer> =>
  db.transaction(async (trx) => {
    const { tenantId: tenant_id } = caller
    const row = await trx("credential")
      .where({ tenant_id, id })
      .forUpdate()
      .first<PostgresRow | undefined>(credentialColumns)
    const present = await trx(owner.type)
      .where({ tenant_id, id: owner.id })
      .whereNull("deleted_at")
      .forShare()
      .first("id")
    const decision = decide(row, present !== undefined, id, owner, requestId)
    return decision._tag === "Write" ? write(trx, caller, decision.row, owner, requestId, now) : decision.answer
  })
