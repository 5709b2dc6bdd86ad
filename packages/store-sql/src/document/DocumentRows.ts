import { deleted, type StoredDocument } from "@wcs/domain/document/Document"
import type { DocumentOwner, DocumentOwnerType } from "@wcs/domain/document/DocumentOwner"
import type { SqlClient } from "effect/sql"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, type Script } from "../engine/Script.ts"
import { jsonOf } from "../engine/StoredJson.ts"

export interface DocumentRow {
  readonly tenant_id: string
  readonly id: string
  readonly owner_type: string
  readonly owner_id: string
  readonly status: string
  readonly bytes: unknown
  readonly sealed_key: string
  readonly created_at: unknown
  readonly document: string
}

export const documentColumns =
  "r.tenant_id, r.id, r.owner_type, r.owner_id, r.status, r.bytes, r.sealed_key, r.created_at, r.document"

/** What has no column of its own. Only the server writes it, so the cast adds nothing that it lacks. */
type Further = Pick<StoredDocument, "name" | "content" | "account" | "deletion">

export const documentOf = (row: DocumentRow): StoredDocument => ({
  id: row.id,
  tenantId: row.tenant_id,
  owner: { type: row.owner_type as DocumentOwnerType, id: row.owner_id },
  status: row.status as StoredDocument["status"],
  bytes: Number(row.bytes),
  sealedKey: row.sealed_key,
  createdAt: Number(row.created_at),
  ...(jsonOf(row.document, `the document ${row.id}`) as unknown as Further)
})

export const valuesOf = ({ account, bytes, content, deletion, name, owner, sealedKey, status }: StoredDocument) => ({
  owner_type: owner.type as string,
  owner_id: owner.id,
  status: status as string,
  bytes,
  sealed_key: sealedKey,
  document: JSON.stringify({ name, content, account, deletion } satisfies Further)
})

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
 * Deletes all documents of an owner with its person: nothing opens their content from now on, and the sweep removes it. No
 * trace of earlier ones stays.
 */
export const makeEraseDocuments = (sql: SqlClient.SqlClient) => {
  const { kept, write } = makeDocumentRows(sql)
  return function* (tenantId: string, owner: DocumentOwner, at: number): Script<void> {
    yield* changes(sql`DELETE FROM document WHERE tenant_id = ${tenantId} AND owner_type = ${owner.type}
      AND owner_id = ${owner.id} AND status = 'DELETED'`)
    for (const document of yield* kept(tenantId, owner)) {
      yield* write(deleted(document, { account: document.account }, null, at))
    }
  }
}
