import { bearerKinds } from "@wcs/domain/access/Caller"
import { entryOf } from "@wcs/domain/audit/AuditEntry"
import { DeletionReason, deleted } from "@wcs/domain/document/Document"
import type { Instant } from "@wcs/domain/shared/Instant"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { makeRecordsWriter } from "../audit/RecordsWriter.ts"
import { type DocumentRow, documentColumns, documentOf, makeDocumentRows } from "../document/DocumentRows.ts"
import { migrate, migrations } from "../engine/Migrations.ts"
import { rows, run, type Script } from "../engine/Script.ts"
import { makeRemoveNote } from "../note/EraseNotes.ts"

/**
 * An audit entry of a deletion that nothing undoes, in a list that outlives backups: of a document or a note, or of the credential
 * whose document was deleted by the same request.
 */
export const Deletion = Schema.Struct({
  tenantId: Schema.String,
  auditId: Schema.String,
  account: Schema.String,
  bearer: Schema.NullOr(Schema.Struct({ kind: Schema.Literals(bearerKinds), id: Schema.String })),
  requestId: Schema.String,
  deletedAt: Schema.Int,
  action: Schema.Literals(["delete", "deleteDocument"]),
  entityType: Schema.Literals(["document", "note", "credential"]),
  entityId: Schema.String,
  /** The reason for which a document was deleted, while its trace is kept. */
  reason: Schema.NullOr(DeletionReason)
})
export type Deletion = typeof Deletion.Type

interface Row {
  readonly id: string
  readonly account: string
  readonly bearer_kind: string | null
  readonly bearer_id: string | null
  readonly action: Deletion["action"]
  readonly entity_type: Deletion["entityType"]
  readonly entity_id: string
  readonly request_id: string
  readonly at: unknown
  readonly document: string | null
}

const reasonIn = (document: string | null): Deletion["reason"] =>
  document === null ? null : (JSON.parse(document).deletion?.reason ?? null)

/** The fields are in the order of the schema, as a read list has them: the authentication code of the list covers it. */
const deletionOf =
  (tenantId: string) =>
  (row: Row): Deletion => ({
    ...{ tenantId, auditId: row.id, account: row.account },
    bearer:
      row.bearer_kind === null ? null : ({ kind: row.bearer_kind, id: row.bearer_id ?? "" } as Deletion["bearer"]),
    ...{ requestId: row.request_id, deletedAt: Number(row.at), action: row.action },
    ...{ entityType: row.entity_type, entityId: row.entity_id, reason: reasonIn(row.document) }
  })

/**
 * Reads the deletions of documents and notes in the audit log of the store, those of one tenant after another: first of documents
 * and notes, then the entries of their credentials. Only those at this time or later.
 */
export const readDeletions = Effect.fnUntraced(function* (since: Instant) {
  const sql = yield* SqlClient.SqlClient
  const tenants = yield* sql<{ readonly id: string }>`SELECT r.id FROM tenant AS r ORDER BY r.id`
  const columns = sql.literal(
    "r.id, r.account, r.bearer_kind, r.bearer_id, r.action, r.entity_type, r.entity_id, r.request_id, r.at"
  )
  const found = yield* Effect.forEach(tenants, ({ id }) =>
    Effect.all([
      sql<Row>`SELECT ${columns}, d.document FROM audit_event AS r
        LEFT JOIN document AS d ON d.tenant_id = r.tenant_id AND d.id = r.entity_id
        WHERE r.tenant_id = ${id} AND r.entity_type IN ('document', 'note') AND r.action = 'delete' AND r.at >= ${since}
        ORDER BY r.position`,
      sql<Row>`SELECT ${columns}, NULL AS document FROM audit_event AS r
        WHERE r.tenant_id = ${id} AND r.action = 'deleteDocument' AND r.at >= ${since} ORDER BY r.position`
    ]).pipe(Effect.map((pages) => pages.flat().map(deletionOf(id))))
  )
  return found.flat()
})

const makeRepeat = (sql: SqlClient.SqlClient) => {
  const { audit } = makeRecordsWriter(sql)
  const documents = makeDocumentRows(sql)
  const removeNote = makeRemoveNote(sql)
  const columns = sql.literal(documentColumns)
  /** The requests whose document was deleted again. */
  const repeated = new Set<string>()

  function* endDocument({ account, deletedAt, entityId, reason, requestId, tenantId }: Deletion): Script<boolean> {
    const [row] = yield* rows(sql<DocumentRow>`SELECT ${columns} FROM document AS r
      WHERE r.tenant_id = ${tenantId} AND r.id = ${entityId} AND r.status = 'STORED'`)
    if (row === undefined) return false
    yield* documents.write(deleted(documentOf(row), { account }, reason, deletedAt))
    repeated.add(`${tenantId} ${requestId}`)
    return true
  }

  function* end(deletion: Deletion): Script<boolean> {
    const { entityId, entityType, requestId, tenantId } = deletion
    switch (entityType) {
      case "document":
        return yield* endDocument(deletion)
      case "note":
        return (yield* removeNote(tenantId, entityId)) > 0
      case "credential":
        return repeated.has(`${tenantId} ${requestId}`)
    }
  }

  return function* (deletion: Deletion): Script<boolean> {
    const isDone = yield* end(deletion)
    if (!isDone) return false
    const { account, action, auditId, bearer, deletedAt, entityId, entityType, requestId, tenantId } = deletion
    const about = { operation: "DELETE", action, entityType, entityId } as const
    yield* audit(tenantId, [entryOf(auditId, { account, bearer, requestId }, about, deletedAt)])
    return entityType !== "credential"
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
