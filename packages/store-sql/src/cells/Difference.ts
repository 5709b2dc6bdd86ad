import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { nameOf, type Table } from "../backup/Tables.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { tenantColumnOf } from "./TableClasses.ts"

// Compares the rows of a tenant in two databases, a range of keys at a time. The form of a row is that of a backup: a
// JSON array of its columns.

/** Rows that are compared at once. Pieces of documents are large. */
const rowsAtOnce = (table: Table): number => (nameOf(table) === "document_piece" ? 50 : 1000)

/** The values of a key, as text. */
type Key = ReadonlyArray<string>

interface Range {
  readonly after: Key | undefined
  readonly upTo: Key | undefined
}

const whole: Range = { after: undefined, upTo: undefined }

const keyColumns = ({ columns, key }: Table) => key.map((index) => columns[index] ?? { name: "", isInteger: false })

const typeOf = (isInteger: boolean): string => (isInteger ? "BIGINT" : "TEXT")

const names = (columns: ReadonlyArray<{ readonly name: string }>): string => columns.map(({ name }) => name).join(", ")

/** The name of a table with its schema. Names of schemas have only letters, digits and underscores. */
export const relationOf = (schema: string | undefined, { name }: Table): string =>
  schema === undefined ? name : `"${schema}".${name}`

/** The statements about a table of one database. */
const statementsOf = (sql: SqlClient.SqlClient, table: Table, tenantId: string) => {
  const relation = sql.literal(table.name)
  const rangeRows = rowsAtOnce(table)
  const keys = keyColumns(table)
  const list = sql.literal(names(keys))
  const all = sql.literal(names(table.columns))
  const tuple = (key: Key): Statement.Fragment =>
    sql.join(
      ", ",
      false
    )(keys.map(({ isInteger }, index) => sql`CAST(${key[index] ?? ""} AS ${sql.literal(typeOf(isInteger))})`))
  const isOwn = sql`${sql.literal(tenantColumnOf(nameOf(table)))} = ${tenantId}`
  const within = ({ after, upTo }: Range) => sql`${isOwn}
    ${after === undefined ? sql.literal("") : sql` AND (${list}) > (${tuple(after)})`}
    ${upTo === undefined ? sql.literal("") : sql` AND (${list}) <= (${tuple(upTo)})`}`
  const row = dialectOf(sql).jsonArray(sql`${all}`)
  const values = table.columns.map(({ isInteger }, index) => `CAST(value ->> ${index} AS ${typeOf(isInteger)})`)
  const isNamed = table.key
    .map(
      (index, place) =>
        `t.${keys[place]?.name} = CAST(value ->> ${index} AS ${typeOf(keys[place]?.isInteger === true)})`
    )
    .join(" AND ")
  const listed = sql.literal(
    keys.map(({ isInteger }, index) => `CAST(value ->> ${index} AS ${typeOf(isInteger)})`).join(", ")
  )
  const descending = sql.literal(keys.map(({ name }) => `${name} DESC`).join(", "))
  return {
    /** The next range and the digest of its rows. */
    next: (after: Key | undefined) =>
      Effect.map(
        sql<{ readonly rows: unknown; readonly digest: string | null; readonly last: string | null }>`
          WITH next_rows AS (SELECT ${list}, ${row} AS wcs_row FROM ${relation}
            WHERE ${within({ after, upTo: undefined })} ORDER BY ${list} LIMIT ${sql.literal(String(rangeRows))})
          SELECT (SELECT count(*) FROM next_rows) AS rows,
            (SELECT md5(string_agg(md5(wcs_row), '' ORDER BY ${list})) FROM next_rows) AS digest,
            (SELECT ${dialectOf(sql).jsonArray(sql`${list}`)} FROM next_rows ORDER BY ${descending} LIMIT 1) AS last`,
        ([found]) => {
          const isLast = found?.last == null || Number(found.rows) < rangeRows
          const upTo = isLast ? undefined : (JSON.parse(found.last) as ReadonlyArray<unknown>).map(String)
          return { range: { after, upTo }, digest: found?.digest ?? null }
        }
      ),
    digest: (range: Range) =>
      Effect.map(
        sql<{ readonly digest: string | null }>`SELECT md5(string_agg(md5(${row}), '' ORDER BY ${list})) AS digest
          FROM ${relation} WHERE ${within(range)}`,
        ([found]) => found?.digest ?? null
      ),
    rows: (selected: Selected) =>
      Effect.map(
        sql<{ readonly row: string }>`SELECT ${row} AS row FROM ${relation}
          WHERE ${
            "keys" in selected
              ? sql`${isOwn} AND (${list}) IN
                (SELECT ${listed} FROM ${dialectOf(sql).objects(`[${selected.keys.join(",")}]`)})`
              : within(selected)
          }`,
        (found) => found.map(({ row }) => row)
      ),
    /** Deletes the rows with the keys of these rows. */
    remove: (rows: ReadonlyArray<string>) => sql`DELETE FROM ${relation} AS t
      USING ${dialectOf(sql).objects(`[${rows.join(",")}]`)} WHERE ${sql.literal(isNamed)}`,
    /** Inserts rows, besides those that a unique index refuses. Returns as many rows as it has inserted. */
    insert: (rows: ReadonlyArray<string>) => sql`INSERT INTO ${relation} (${all})${
      table.hasPositions ? dialectOf(sql).givenPositions : sql.literal("")
    }
      SELECT ${sql.literal(values.join(", "))} FROM ${dialectOf(sql).objects(`[${rows.join(",")}]`)} ON CONFLICT DO NOTHING RETURNING 1`
  }
}

/** A range, or rows by their keys, each a JSON array. */
type Selected = Range | { readonly keys: ReadonlyArray<string> }

type Statements = ReturnType<typeof statementsOf>

/** What was done with the rows of a table. */
export interface Mended {
  /** Rows that were different. */
  readonly different: number
  /**
   * Keys of rows that are still missing: a unique value of theirs is in the earlier form of another row, which changed while
   * the rows were read. Mend them again with the later changes.
   */
  readonly refused: ReadonlyArray<string>
}

/** Makes rows of the target those of the source. */
const mendRows = Effect.fnUntraced(function* (
  { key }: Table,
  source: Statements,
  target: Statements,
  selected: Selected
) {
  const [wanted, found] = yield* Effect.all([source.rows(selected), target.rows(selected)])
  const [isWanted, isFound] = [new Set(wanted), new Set(found)]
  const extra = found.filter((row) => !isWanted.has(row))
  const missing = wanted.filter((row) => !isFound.has(row))
  if (extra.length > 0) yield* target.remove(extra)
  const inserted = missing.length === 0 ? [] : yield* target.insert(missing)
  const keyOf = (row: string): string => {
    const values: ReadonlyArray<unknown> = JSON.parse(row)
    return JSON.stringify(key.map((index) => values[index]))
  }
  const refused = inserted.length === missing.length ? [] : missing.map(keyOf)
  return { different: extra.length + missing.length, refused } satisfies Mended
})

/** A table of a tenant in two databases. */
export interface Compared {
  readonly source: SqlClient.SqlClient
  readonly target: SqlClient.SqlClient
  readonly table: Table
  readonly tenantId: string
}

/** Makes the rows in the target those of the source. */
export const mend = ({ source, table, target, tenantId }: Compared): Effect.Effect<Mended, SqlError.SqlError> =>
  Effect.gen(function* () {
    const [from, to] = [statementsOf(source, table, tenantId), statementsOf(target, table, tenantId)]
    let different = 0
    const refused: Array<string> = []
    for (let after: Key | undefined; ; ) {
      const { digest, range }: Effect.Success<ReturnType<Statements["next"]>> = yield* from.next(after)
      if (digest !== (yield* to.digest(range))) {
        const mended = yield* mendRows(table, from, to, range)
        different += mended.different
        refused.push(...mended.refused)
      }
      if (range.upTo === undefined) return { different, refused }
      after = range.upTo
    }
  })

/** Makes the rows with these keys in the target those of the source. */
export const mendKeys = Effect.fnUntraced(function* (
  { source, table, target, tenantId }: Compared,
  keys: ReadonlyArray<string>
) {
  const [from, to] = [statementsOf(source, table, tenantId), statementsOf(target, table, tenantId)]
  let different = 0
  const refused: Array<string> = []
  for (let at = 0; at < keys.length; at += rowsAtOnce(table)) {
    const mended = yield* mendRows(table, from, to, { keys: keys.slice(at, at + rowsAtOnce(table)) })
    different += mended.different
    refused.push(...mended.refused)
  }
  return { different, refused } satisfies Mended
})

/** Replaces all rows in the target by those of the source, in tables with references to the earlier ones. */
export const replace = Effect.fnUntraced(function* (compared: ReadonlyArray<Compared>) {
  const all = compared.map(({ source, table, target, tenantId }) => ({
    from: statementsOf(source, table, tenantId),
    to: statementsOf(target, table, tenantId)
  }))
  for (const { to } of all.toReversed()) yield* to.remove(yield* to.rows(whole))
  for (const { from, to } of all) yield* to.insert(yield* from.rows(whole))
})
