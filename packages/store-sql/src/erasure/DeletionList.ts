import { entryOf } from "@wcs/domain/audit/AuditEntry"
import { DeletionReason, deleted } from "@wcs/domain/document/Document"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { makeRecordsWriter } from "../audit/RecordsWriter.ts"
import { type DocumentRow, documentColumns, documentOf, makeDocumentRows } from "../document/DocumentRows.ts"
import { migrate, migrations } from "../engine/Migrations.ts"
import { rows, run, type Script } from "../engine/Script.ts"
import { makeRemoveNote } from "../note/EraseNotes.ts"

/** The deletion of a document or a note, which nothing undoes, in a list that outlives backups. */
export const Deletion = Schema.Struct({
  tenantId: Schema.String,
  entityType: Schema.Literals(["document", "note"]),
  entityId: Schema.String,
  /** The id of its audit entry. */
  auditId: Schema.String,
  account: Schema.String,
  requestId: Schema.String,
  deletedAt: Schema.Int,
  /** The reason for which a document was deleted, while its trace is kept. */
  reason: Schema.NullOr(DeletionReason)
})
export type Deletion = typeof Deletion.Type

interface Row {
  readonly id: string
  readonly account: string
  readonly entity_type: Deletion["entityType"]
  readonly entity_id: string
  readonly request_id: string
  readonly at: unknown
  readonly document: string | null
}

const reasonIn = (document: string | null): Deletion["reason"] =>
  document === null ? null : (JSON.parse(document).deletion?.reason ?? null)

/** Reads all deletions of documents and notes in the audit log of the store, oldest first in each tenant. */
export const readDeletions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tenants = yield* sql<{ readonly id: string }>`SELECT r.id FROM tenant AS r ORDER BY r.id`
  const found = yield* Effect.forEach(tenants, ({ id: tenantId }) =>
    Effect.map(
      sql<Row>`SELECT r.id, r.account, r.entity_type, r.entity_id, r.request_id, r.at, d.document
        FROM audit_event AS r LEFT JOIN document AS d ON d.tenant_id = r.tenant_id AND d.id = r.entity_id
        WHERE r.tenant_id = ${tenantId} AND r.entity_type IN ('document', 'note') AND r.action = 'delete'
        ORDER BY r.position`,
      (listed) =>
        listed.map(
          (row): Deletion => ({
            ...{ tenantId, entityType: row.entity_type, entityId: row.entity_id, auditId: row.id },
            ...{ account: row.account, requestId: row.request_id, deletedAt: Number(row.at) },
            reason: reasonIn(row.document)
          })
        )
    )
  )
  return found.flat()
})

const makeRepeat = (sql: SqlClient.SqlClient) => {
  const { audit } = makeRecordsWriter(sql)
  const documents = makeDocumentRows(sql)
  const removeNote = makeRemoveNote(sql)
  const columns = sql.literal(documentColumns)

  function* endDocument({ account, deletedAt, entityId, reason, tenantId }: Deletion): Script<boolean> {
    const [row] = yield* rows(sql<DocumentRow>`SELECT ${columns} FROM document AS r
      WHERE r.tenant_id = ${tenantId} AND r.id = ${entityId} AND r.status = 'STORED'`)
    if (row === undefined) return false
    yield* documents.write(deleted(documentOf(row), { account }, reason ?? "OTHER", deletedAt))
    return true
  }

  return function* (deletion: Deletion): Script<boolean> {
    const { account, auditId, deletedAt, entityId, entityType, requestId, tenantId } = deletion
    const isThere =
      entityType === "document" ? yield* endDocument(deletion) : (yield* removeNote(tenantId, entityId)) > 0
    if (!isThere) return false
    const about = { operation: "DELETE", action: "delete", entityType, entityId } as const
    yield* audit(tenantId, [entryOf(auditId, { account, bearer: null, requestId }, about, deletedAt)])
    return true
  }
}

/**
 * Deletes documents and notes in a restored store again, in the open transaction, with their audit entries. Applies all
 * migrations first. The sweep removes the content of the documents, which nothing opens any more. Returns the number of those
 * that the store had.
 */
export const repeatDeletions = Effect.fnUntraced(function* (list: ReadonlyArray<Deletion>) {
  const repeat = makeRepeat(yield* SqlClient.SqlClient)
  yield* migrate(migrations)
  let repeated = 0
  for (const deletion of list) if (yield* run(repeat(deletion))) repeated++
  return repeated
})
