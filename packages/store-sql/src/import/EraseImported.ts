import { keysAbout, type Outcome } from "@wcs/domain/import/ImportRow"
import type { JsonObject } from "@wcs/domain/shared/Json"
import type { SqlClient, Statement } from "effect/sql"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, type Script } from "../engine/Script.ts"
import { type DocumentRow, importOf } from "./ImportDocument.ts"

interface Row extends DocumentRow {
  readonly status: string
}

/** The outcomes that stay. A row with another one becomes faulty, so that no run creates the person again. */
const kept: ReadonlyArray<Outcome> = ["CREATED", "UPDATED", "UNDONE", "KEPT"]

const erased = JSON.stringify({ column: null, reason: "was erased with its worker" })

/**
 * Erases what imports have of a worker: the cells of its rows, of those with its external id or its name and birth date,
 * and of those that repeat them, its fields before a change, and the samples of the file.
 */
export const makeEraseImported = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const byKey = (column: "id_key" | "name_key", keys: ReadonlyArray<string>) =>
    sql`r.${sql.literal(column)} <> '' AND ${dialect.isAmong(`r.${column}`, JSON.stringify(keys))}`

  return function* (tenantId: string, workerId: string, worker: JsonObject): Script<void> {
    const { ids, names } = keysAbout(worker)
    const about = [sql`r.worker_id = ${workerId}`, byKey("id_key", ids), byKey("name_key", names)] as const
    const found = yield* rows(sql<Row>`SELECT i.id, i.status, i.document FROM import AS i
      WHERE i.tenant_id = ${tenantId} ORDER BY i.position${dialect.forUpdate}`)
    for (const row of found) {
      const { id, status } = row
      const of = (test: Statement.Fragment) =>
        sql`SELECT r.line FROM import_row AS r WHERE r.tenant_id = ${tenantId} AND r.import_id = ${id} AND ${test}`
      const lines = sql`${of(about[0])} UNION ${of(about[1])} UNION ${of(about[2])}`
      const blank = (column: "same_as" | "line") =>
        changes(sql`UPDATE import_row SET cells = '[]', before = NULL, id_key = '', name_key = '',
            fault = CASE WHEN ${sql.in("outcome", kept)} THEN NULL ELSE ${erased} END,
            outcome = CASE WHEN ${sql.in("outcome", kept)} THEN outcome ELSE ${"FAULTY" satisfies Outcome} END
          WHERE tenant_id = ${tenantId} AND import_id = ${id} AND ${sql.literal(column)} IN (${lines})`)
      yield* blank("same_as")
      const count = yield* blank("line")
      if (count === 0 || status === "DELETED") continue
      const it = importOf(row)
      const columns = it.columns.map((column) => ({ ...column, samples: [] }))
      const next = { ...it, version: it.version + 1, columns }
      yield* changes(sql`UPDATE import SET version = ${next.version}, document = ${JSON.stringify(next)}
        WHERE tenant_id = ${tenantId} AND id = ${id} AND version = ${it.version}`)
    }
  }
}
