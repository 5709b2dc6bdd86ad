import { deleted, type StoredDocument } from "@wcs/domain/document/Document"
import type { DocumentOwner, DocumentOwnerType } from "@wcs/domain/document/DocumentOwner"
import type { OwnerReference } from "@wcs/domain/ownership/Ownership"
import type { SqlClient, Statement } from "effect/sql"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, type Script } from "../engine/Script.ts"
import { jsonOf } from "../engine/StoredJson.ts"

export interface DocumentRow {
  readonly tenant_id: string
  readonly id: string
  readonly owner_type: string
  readonly owner_id: string
  readonly worker_id: string
  readonly applicant_id: string
  readonly status: string
  readonly bytes: unknown
  readonly sealed_key: string
  readonly created_at: unknown
  readonly document: string
}

export const documentColumns =
  "r.tenant_id, r.id, r.owner_type, r.owner_id, r.worker_id, r.applicant_id, r.status, r.bytes, r.sealed_key, r.created_at, r.document"

/** What has no column of its own. Only the server writes it, so the cast adds nothing that it lacks. */
type Further = Pick<StoredDocument, "name" | "content" | "account" | "deletion" | "card">

export const documentOf = (row: DocumentRow): StoredDocument => ({
  id: row.id,
  tenantId: row.tenant_id,
  owner: { type: row.owner_type as DocumentOwnerType, id: row.owner_id },
  people: { worker: row.worker_id || null, applicant: row.applicant_id || null },
  status: row.status as StoredDocument["status"],
  bytes: Number(row.bytes),
  sealedKey: row.sealed_key,
  createdAt: Number(row.created_at),
  ...(jsonOf(row.document, `the document ${row.id}`) as unknown as Further)
})

export const valuesOf = (document: StoredDocument) => {
  const { account, bytes, card, content, deletion, name, owner, people, sealedKey, status } = document
  const ofCard = card === undefined ? {} : { card }
  return {
    owner_type: owner.type as string,
    owner_id: owner.id,
    worker_id: people.worker ?? "",
    applicant_id: people.applicant ?? "",
    status: status as string,
    bytes,
    sealed_key: sealedKey,
    deleted_at: deletion === null || deletion.reason === null ? null : deletion.at,
    document: JSON.stringify({ name, content, account, deletion, ...ofCard } satisfies Further)
  }
}

/** Reads and writes the rows of documents in a transaction. */
export const makeDocumentRows = (sql: SqlClient.SqlClient) => {
  const { forUpdate } = dialectOf(sql)
  const columns = sql.literal(documentColumns)
  return {
    /** The documents of an owner with content, locked, in the order of their uploads. */
    kept: function* (tenantId: string, owner: DocumentOwner): Script<ReadonlyArray<StoredDocument>> {
      const found = yield* rows(sql<DocumentRow>`SELECT ${columns} FROM document AS r
        WHERE r.tenant_id = ${tenantId} AND r.owner_type = ${owner.type} AND r.owner_id = ${owner.id}
        AND r.status IN ('UPLOADING', 'STORED') ORDER BY r.position${forUpdate}`)
      return found.map(documentOf)
    },
    write: function* (next: StoredDocument): Script<void> {
      yield* changes(sql`UPDATE document SET ${sql.update(valuesOf(next))}
        WHERE tenant_id = ${next.tenantId} AND id = ${next.id}`)
    }
  }
}

/**
 * Deletes documents with a person: nothing opens their content from now on, and the sweep removes it. No trace of earlier
 * ones stays.
 */
const makeErase = (sql: SqlClient.SqlClient) => {
  const { write } = makeDocumentRows(sql)
  const columns = sql.literal(documentColumns)
  return function* (tenantId: string, test: Statement.Fragment, at: number): Script<void> {
    const found = yield* rows(sql<DocumentRow>`SELECT ${columns} FROM document AS r
      WHERE r.tenant_id = ${tenantId} AND ${test}${dialectOf(sql).forUpdate}`)
    for (const document of found.map(documentOf)) {
      yield* write(deleted(document, { account: document.account }, null, at))
    }
  }
}

/** Erases all documents of an owner. */
export const makeEraseDocuments = (sql: SqlClient.SqlClient) => {
  const erase = makeErase(sql)
  return (tenantId: string, { id, type }: DocumentOwner, at: number): Script<void> => {
    const owned = sql`r.owner_type = ${type} AND r.owner_id = ${id}`
    // Each half has an index.
    return erase(
      tenantId,
      sql`((${owned} AND r.status IN ('UPLOADING', 'STORED')) OR (${owned} AND r.deleted_at IS NOT NULL))`,
      at
    )
  }
}

/** Erases the documents of records that were about a person at the upload, also if others own these records now. */
export const makeEraseDocumentsOf = (sql: SqlClient.SqlClient) => {
  const erase = makeErase(sql)
  const column = { worker: sql.literal("r.worker_id"), applicant: sql.literal("r.applicant_id") }
  return (tenantId: string, { id, type }: OwnerReference, at: number): Script<void> =>
    erase(tenantId, sql`${column[type]} <> '' AND ${column[type]} = ${id} AND r.status <> 'ENDED'`, at)
}
