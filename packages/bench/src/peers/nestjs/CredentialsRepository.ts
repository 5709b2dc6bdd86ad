import { Inject, Injectable } from "@nestjs/common"
import { and, eq, isNull, sql } from "drizzle-orm"
import type { Answer } from "../Answer.ts"
import type { Caller } from "../Gate.ts"
import { decide, eventData, linkedTo, type Owner } from "../Link.ts"
import { idText } from "../RandomText.ts"
import type { CredentialRow, PostgresRow } from "../Store.ts"
import { DATABASE, type Database } from "./DatabaseModule.ts"
import { auditEvent, credential, event, owners, subscription } from "./Schema.ts"

type Transaction = Parameters<Parameters<Database["transaction"]>[0]>[0]

const kind = "credential.updated"

/** The documentation's way to prepare a query that runs often. */
const prepareFind = (db: Database) =>
  db
    .select()
    .from(credential)
    .where(and(eq(credential.tenant_id, sql.placeholder("tenantId")), eq(credential.id, sql.placeholder("id"))))
    .prepare("find_credential")

@Injectable()
export class CredentialsRepository {
  readonly #db: Database
  readonly #find: ReturnType<typeof prepareFind>

  constructor(@Inject(DATABASE) db: Database) {
    this.#db = db
    this.#find = prepareFind(db)
  }

  async find(tenantId: string, id: string): Promise<CredentialRow | undefined> {
    const [row] = await this.#find.execute({ tenantId, id })
    return row
  }

  /** Links in one transaction: reads and locks the credential and the owner, writes slots, audit entry and event. */
  link(caller: Caller, id: string, owner: Owner, requestId: string, now: number): Promise<CredentialRow | Answer> {
    return this.#db.transaction(async (tx) => {
      const { tenantId } = caller
      const [row] = await tx
        .select()
        .from(credential)
        .where(and(eq(credential.tenant_id, tenantId), eq(credential.id, id)))
        .for("update")
      const table = owners[owner.type]
      const present = await tx
        .select({ id: table.id })
        .from(table)
        .where(and(eq(table.tenant_id, tenantId), eq(table.id, owner.id), isNull(table.deleted_at)))
        .for("share")
      const decision = decide<PostgresRow>(row, present.length > 0, id, owner, requestId)
      return decision._tag === "Write" ? this.#write(tx, caller, decision.row, owner, requestId, now) : decision.answer
    })
  }

  async #write(
    tx: Transaction,
    { account, tenantId, tokenId }: Caller,
    row: PostgresRow,
    owner: Owner,
    requestId: string,
    now: number
  ): Promise<CredentialRow> {
    const { credential_type, id, jurisdiction, version } = row
    const linked = linkedTo(row, owner, now)
    const { rowCount } = await tx
      .update(credential)
      .set({ [`${owner.type}_id`]: owner.id, version: linked.version, updated_at: now })
      .where(and(eq(credential.tenant_id, tenantId), eq(credential.id, id), eq(credential.version, version)))
    if (rowCount !== 1) throw new Error("the row changed inside the transaction")
    await tx.insert(auditEvent).values({
      tenant_id: tenantId,
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
    const [subscriber] = await tx
      .select({ id: subscription.subscriber_id })
      .from(subscription)
      .where(and(eq(subscription.tenant_id, tenantId), eq(subscription.kind, kind)))
      .limit(1)
    if (subscriber === undefined) return linked
    await tx.insert(event).values({
      tenant_id: tenantId,
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
}
