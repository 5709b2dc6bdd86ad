import type { Import } from "@wcs/domain/import/Import"
import type { SqlClient } from "effect/sql"
import { changes, rows, type Script } from "../engine/Script.ts"
import { jsonOf } from "../engine/StoredJson.ts"

interface Row {
  readonly id: string
  readonly document: string
}

/**
 * Erases what imports have of a worker: the cells of its rows and of those that repeat them, its fields before a change,
 * and the samples of the file.
 */
export const makeEraseImported = (sql: SqlClient.SqlClient) =>
  function* (tenantId: string, workerId: string): Script<void> {
    const blank = sql.literal("cells = '[]', fault = NULL, before = NULL, id_key = '', name_key = ''")
    const found = yield* rows(sql<Row>`SELECT DISTINCT i.id, i.document FROM import_row AS r
      JOIN import AS i ON i.tenant_id = r.tenant_id AND i.id = r.import_id
      WHERE r.tenant_id = ${tenantId} AND r.worker_id = ${workerId} AND i.status <> 'DELETED'`)
    for (const { document, id } of found) {
      const it = jsonOf(document, `the document of ${id}`) as unknown as Import
      const columns = it.columns.map((column) => ({ ...column, samples: [] }))
      const next = { ...it, version: it.version + 1, columns }
      yield* changes(sql`UPDATE import SET version = ${next.version}, document = ${JSON.stringify(next)}
        WHERE tenant_id = ${tenantId} AND id = ${id} AND version = ${it.version}`)
      yield* changes(sql`UPDATE import_row SET ${blank} WHERE tenant_id = ${tenantId} AND import_id = ${id}
        AND same_as IN (SELECT r.line FROM import_row AS r
          WHERE r.tenant_id = ${tenantId} AND r.import_id = ${id} AND r.worker_id = ${workerId})`)
    }
    yield* changes(sql`UPDATE import_row SET ${blank} WHERE tenant_id = ${tenantId} AND worker_id = ${workerId}`)
  }
