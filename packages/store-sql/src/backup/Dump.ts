import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { dialectOf } from "../engine/Dialect.ts"
import { nameOf, type Table, tables } from "./Tables.ts"

/** The values of a row, in the order of the table's columns. */
export type Row = ReadonlyArray<string | number | null>

/** Rows per query. */
const pageSize = 250

/** Rows per query of tables with large rows: the pieces of documents have 175 KB each. */
const largeRows: Readonly<Record<string, number>> = { document_piece: 8 }

const sizeOf = (table: Table): number => largeRows[nameOf(table)] ?? pageSize

const readPage = Effect.fnUntraced(function* (table: Table, last: Row | undefined) {
  const { columns, key, name } = table
  const sql = yield* SqlClient.SqlClient
  const list = (names: ReadonlyArray<string>) => sql.literal(names.join(", "))
  const keys = list(key.map((index) => columns[index]?.name ?? ""))
  const all = list(columns.map((column) => column.name))
  const values = sql.join(", ", false)(key.map((index) => sql`${last?.[index] ?? null}`))
  const later = last === undefined ? sql.literal("") : sql`WHERE (${keys}) > (${values})`
  const found = yield* sql<{ readonly row: string }>`
    SELECT ${dialectOf(sql).jsonArray(sql`${all}`)} AS row FROM ${sql.literal(name)} ${later}
    ORDER BY ${keys} LIMIT ${sql.literal(String(sizeOf(table)))}`
  return found.map(({ row }) => JSON.parse(row) as Row)
})

/** Reads all rows of all tables. Call in a transaction that sees one moment. `write` gets up to 250 rows at a time. */
export const dump = Effect.fnUntraced(function* <E, R>(
  write: (table: string, columns: ReadonlyArray<string>, rows: ReadonlyArray<Row>) => Effect.Effect<void, E, R>
) {
  for (const table of yield* tables) {
    const columns = table.columns.map(({ name }) => name)
    for (let last: Row | undefined; ; ) {
      const rows: ReadonlyArray<Row> = yield* readPage(table, last)
      yield* write(nameOf(table), columns, rows)
      last = rows.at(-1)
      if (rows.length < sizeOf(table)) break
    }
  }
})

/** The last position of each table that assigns positions, 0 if none was assigned. Call after `dump`. */
export const lastPositions: Effect.Effect<
  Readonly<Record<string, number>>,
  SqlError.SqlError,
  SqlClient.SqlClient
> = Effect.gen(function* () {
  const dialect = dialectOf(yield* SqlClient.SqlClient)
  const positioned = (yield* tables).filter(({ hasPositions }) => hasPositions)
  const pairs = yield* Effect.forEach(positioned, (table) =>
    Effect.map(dialect.lastPosition(table.name), ([row]) => [nameOf(table), Number(row?.position ?? 0)] as const)
  )
  return Object.fromEntries(pairs)
})
