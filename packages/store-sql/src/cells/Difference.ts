import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { nameOf, type Table } from "../backup/Tables.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { tenantColumnOf } from "./TableClasses.ts"

// Compares the rows of a tenant in two databases, a range of keys at a time. The form of a row is that of a backup: a
// JSON array of its columns.

/** A table in one of the two databases. */
export interface Side {
  readonly sql: SqlClient.SqlClient
  /** The schema; undefined: that of the store. */
  readonly schema: string | undefined
}

/** Rows of a range. */
const rangeRows = 1000

/** The values of a key, as text. */
type Key = ReadonlyArray<string>

interface Range {
  readonly after: Key | undefined
  readonly upTo: Key | undefined
}

const keyColumns = ({ columns, key }: Table) => key.map((index) => columns[index] ?? { name: "", isInteger: false })

const typeOf = (isInteger: boolean): string => (isInteger ? "BIGINT" : "TEXT")

const names = (columns: ReadonlyArray<{ readonly name: string }>): string => columns.map(({ name }) => name).join(", ")

/** The name of a table with its schema. Names of schemas have only letters, digits and underscores. */
export const relationOf = (schema: string | undefined, { name }: Table): string =>
  schema === undefined ? name : `"${schema}".${name}`

/** The statements about a table of one side. */
const statementsOf = ({ schema, sql }: Side, table: Table, tenantId: string) => {
  const relation = sql.literal(relationOf(schema, table))
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
    rows: (range: Range) =>
      Effect.map(sql<{ readonly row: string }>`SELECT ${row} AS row FROM ${relation} WHERE ${within(range)}`, (found) =>
        found.map(({ row }) => row)
      ),
    /** Deletes the rows with the keys of these rows. */
    remove: (rows: ReadonlyArray<string>) => sql`DELETE FROM ${relation} AS t
      USING ${dialectOf(sql).objects(`[${rows.join(",")}]`)} WHERE ${sql.literal(isNamed)}`,
    insert: (rows: ReadonlyArray<string>) => sql`INSERT INTO ${relation} (${all})
      SELECT ${sql.literal(values.join(", "))} FROM ${dialectOf(sql).objects(`[${rows.join(",")}]`)}`
  }
}

type Statements = ReturnType<typeof statementsOf>

/** Makes the rows of a range in the target those of the source. Returns how many were different. */
const mendRange = Effect.fnUntraced(function* (source: Statements, target: Statements, range: Range) {
  const [wanted, found] = yield* Effect.all([source.rows(range), target.rows(range)])
  const [isWanted, isFound] = [new Set(wanted), new Set(found)]
  const extra = found.filter((row) => !isWanted.has(row))
  const missing = wanted.filter((row) => !isFound.has(row))
  if (extra.length > 0) yield* target.remove(extra)
  if (missing.length > 0) yield* target.insert(missing)
  return extra.length + missing.length
})

const walk = Effect.fnUntraced(function* <E>(
  source: Statements,
  target: Statements,
  differs: (range: Range) => Effect.Effect<number, E>
) {
  let different = 0
  for (let after: Key | undefined; ; ) {
    const { digest, range }: Effect.Success<ReturnType<Statements["next"]>> = yield* source.next(after)
    if (digest !== (yield* target.digest(range))) different += yield* differs(range)
    if (range.upTo === undefined) return different
    after = range.upTo
  }
})

/**
 * Makes the rows of a tenant in a table of the target those of the source. Returns how many rows were different. Begins
 * anew after an interruption: ranges that are the same are only compared.
 */
export const mend = (
  source: Side,
  target: Side,
  table: Table,
  tenantId: string
): Effect.Effect<number, SqlError.SqlError> => {
  const [from, to] = [statementsOf(source, table, tenantId), statementsOf(target, table, tenantId)]
  return walk(from, to, (range) => mendRange(from, to, range))
}

/** Returns how many ranges of up to 1000 rows of a tenant differ in a table. */
export const differences = (
  source: Side,
  target: Side,
  table: Table,
  tenantId: string
): Effect.Effect<number, SqlError.SqlError> => {
  const [from, to] = [statementsOf(source, table, tenantId), statementsOf(target, table, tenantId)]
  return walk(from, to, () => Effect.succeed(1))
}
