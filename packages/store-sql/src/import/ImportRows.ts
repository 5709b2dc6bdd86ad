import type { ImportedRow } from "@wcs/domain/crud/ChangeRecords"
import type { ImportRow, Marked, Outcome, RowKeys } from "@wcs/domain/import/ImportRow"
import type { FileRow, RowsAsked } from "@wcs/domain/import/ImportStore"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { Array as Arr } from "effect"
import type { SqlClient } from "effect/sql"
import { type BatchColumns, insertAll, keepForBatches, keepInsert } from "../engine/Batch.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { keep } from "../engine/Query.ts"
import { changes, type Script } from "../engine/Script.ts"

interface Row {
  readonly line: unknown
  readonly cells: string
  readonly outcome: Outcome
  readonly fault: string | null
  readonly worker_id: string | null
  readonly same_as: unknown
  readonly tag: string | null
  readonly before: string | null
}

const rowOf = (row: Row): ImportRow => ({
  row: Number(row.line),
  cells: JSON.parse(row.cells),
  outcome: row.outcome,
  fault: row.fault === null ? null : JSON.parse(row.fault),
  workerId: row.worker_id,
  sameAsRow: row.same_as === null ? null : Number(row.same_as),
  tag: row.tag,
  before: row.before === null ? null : (JSON.parse(row.before) as JsonObject)
})

/** Reads rows of an import in order. */
export const makeReadRows = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const columns = sql.literal("r.line, r.cells, r.outcome, r.fault, r.worker_id, r.same_as, r.tag, r.before")
  return (tenantId: string, importId: string, { after, limit, outcome }: RowsAsked) => {
    const index = outcome === undefined ? sql.literal("") : dialect.indexedBy("import_row_of_outcome")
    const test = outcome === undefined ? sql.literal("") : sql` AND r.outcome = ${outcome}`
    return sql<Row>`SELECT ${columns} FROM import_row AS r${index}
      WHERE r.tenant_id = ${tenantId} AND r.import_id = ${importId} AND r.line > ${after}${test}
      ORDER BY r.line LIMIT ${limit}`
  }
}

export const rowsOf = (found: ReadonlyArray<Row>): ReadonlyArray<ImportRow> => found.map(rowOf)

const fresh = {
  tenant_id: "TEXT",
  import_id: "TEXT",
  line: "BIGINT",
  cells: "TEXT",
  outcome: "TEXT",
  id_key: "TEXT",
  name_key: "TEXT"
} as const satisfies BatchColumns

/** Inserts new rows. */
export const makeAppend = (sql: SqlClient.SqlClient) => {
  const insert = keepInsert(sql, fresh, (batch) => insertAll(sql, "import_row", fresh, batch))
  return (tenantId: string, importId: string, rows: ReadonlyArray<FileRow>): Script<void> =>
    insert(
      rows.map(({ cells, row }) => ({
        ...{ tenant_id: tenantId, import_id: importId, line: row, cells: JSON.stringify(cells) },
        ...{ outcome: "NEW" satisfies Outcome, id_key: "", name_key: "" }
      }))
    )
}

const marked = {
  tenant: "TEXT",
  import: "TEXT",
  at_line: "BIGINT",
  next: "TEXT",
  why: "TEXT",
  worker: "TEXT",
  same: "BIGINT",
  id: "TEXT",
  name: "TEXT"
} as const satisfies BatchColumns

/** Writes the outcomes of rows. Keys that a mark lacks stay. */
export const makeMark = (sql: SqlClient.SqlClient) => {
  const update = keepForBatches(
    sql,
    dialectOf(sql),
    marked,
    ({ rows, fieldOf }) => sql`WITH n AS MATERIALIZED (${rows})
      UPDATE import_row SET outcome = n.next, fault = n.why, worker_id = n.worker, same_as = n.same,
        id_key = COALESCE(n.id, import_row.id_key), name_key = COALESCE(n.name, import_row.name_key)
      FROM n
      WHERE import_row.tenant_id = ${fieldOf("tenant")} AND import_row.import_id = n.import AND import_row.line = n.at_line`
  )
  return function* (tenantId: string, importId: string, marks: ReadonlyArray<Marked & Partial<RowKeys>>): Script<void> {
    const batch = marks.map(({ fault, idKey, nameKey, outcome, row, sameAsRow, workerId }) => ({
      ...{ tenant: tenantId, import: importId, at_line: row, next: outcome, worker: workerId, same: sameAsRow },
      ...{ why: fault === null ? null : JSON.stringify(fault), id: idKey ?? null, name: nameKey ?? null }
    }))
    if (Arr.isReadonlyArrayNonEmpty(batch)) yield* changes(update(batch))
  }
}

/** Marks a row that a change carries out. Returns whether the row had one of the outcomes before. */
export const makeMarkImported = (sql: SqlClient.SqlClient) => {
  const mark = keep<Record<string, string | number | null>, object>(
    sql,
    (at) => sql`UPDATE import_row SET outcome = ${at("outcome")}, worker_id = ${at("worker")}, tag = ${at("tag")},
        before = ${at("before")}, fault = NULL
      WHERE tenant_id = ${at("tenant")} AND import_id = ${at("import")} AND line = ${at("line")}
      AND outcome IN (SELECT value FROM ${dialectOf(sql).texts(at("from"))})`
  )
  return function* (tenantId: string, row: ImportedRow): Script<boolean> {
    const { before, from, importId, outcome, row: line, tag, workerId } = row
    const marked = yield* changes(
      mark({
        ...{ tenant: tenantId, import: importId, line, outcome, worker: workerId, tag, from: JSON.stringify(from) },
        before: before === null ? null : JSON.stringify(before)
      })
    )
    return marked === 1
  }
}
