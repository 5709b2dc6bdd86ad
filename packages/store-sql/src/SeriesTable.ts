import { totalLimit } from "@wcs/domain/ListQuery"
import type { SeriesPage, SeriesSelection } from "@wcs/domain/Series"
import { Effect, Record } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { dialectOf } from "./Dialect.ts"

/** How a series lies in its table: rows of a tenant by position. */
export interface SeriesTable<Field extends string, TableRow, Row> {
  readonly name: string
  /** What is read of a row beside its position. */
  readonly selected: string
  /** The index of all rows: `(tenant_id, position)`. */
  readonly index: string
  /** A condition that every row of the series meets, if the table has others. */
  readonly only?: string
  /**
   * Where each field stands, and the index that finds its value, `(tenant_id, <column>, position)`. Of several
   * conditions the first in this order reaches the rows.
   */
  readonly fields: Readonly<Record<Field, { readonly column: string; readonly index: string }>>
  /** The column that tells when a row ended, null while it has not; none where rows do not end. */
  readonly ends?: string
  readonly decode: (row: TableRow) => Row
}

interface Placed {
  readonly position: unknown
}

/** Reads pages of a series: one statement, and one more where a total is asked for. */
export const makeSeriesPage = <Field extends string, TableRow, Row>(
  sql: SqlClient.SqlClient,
  { decode, ends, fields, index, name, only, selected }: SeriesTable<Field, TableRow, Row>
) => {
  const dialect = dialectOf(sql)
  const columns = sql.literal(selected)

  /** The index of the condition that leaves the fewest rows, as far as the table can tell. */
  const indexFor = (asked: ReadonlyArray<Field>): string => {
    const best = Record.keys(fields).find((field) => asked.includes(field))
    return best === undefined ? index : fields[best].index
  }

  const statements = (
    tenantId: string,
    conditions: NonNullable<SeriesSelection<Field>["conditions"]>,
    { after, direction, includeDeleted, pageSize }: SeriesSelection<Field>
  ) => {
    const tests = [
      sql`r.tenant_id = ${tenantId}`,
      ...(only === undefined ? [] : [sql.literal(only)]),
      ...(ends === undefined || includeDeleted ? [] : [sql`r.${sql.literal(ends)} IS NULL`]),
      ...conditions.map(({ field, value }) => sql`r.${sql.literal(fields[field].column)} = ${value}`)
    ]
    const reached = dialect.indexedBy(indexFor(conditions.map(({ field }) => field)))
    const from = (all: ReadonlyArray<Statement.Fragment>) =>
      sql`FROM ${sql.literal(name)} AS r${reached} WHERE ${sql.and(all)}`
    const [beyond, order] =
      direction === "asc" ? [sql.literal(">"), sql.literal("ASC")] : [sql.literal("<"), sql.literal("DESC")]
    const rest = after === undefined ? tests : [...tests, sql`r.position ${beyond} ${after}`]
    return {
      // One row more than the page has, so that it is known whether more follow.
      page: sql<TableRow & Placed>`SELECT r.position, ${columns} ${from(rest)}
        ORDER BY r.position ${order} LIMIT ${pageSize + 1}`,
      total: sql<{ readonly total: unknown }>`SELECT count(*) AS total
        FROM (SELECT 1 AS one ${from(tests)} LIMIT ${totalLimit}) AS counted`
    }
  }

  return Effect.fnUntraced(function* (
    tenantId: string,
    selection: SeriesSelection<Field>
  ): Effect.fn.Return<SeriesPage<Row>, SqlError.SqlError> {
    const { conditions, includeTotal, pageSize } = selection
    if (conditions === undefined) return { items: [], hasMore: false, total: includeTotal ? 0 : undefined }
    const { page, total } = statements(tenantId, conditions, selection)
    const found = yield* page
    const counted = includeTotal ? yield* total : undefined
    return {
      items: found.slice(0, pageSize).map((row) => ({ ...decode(row), position: Number(row.position) })),
      hasMore: found.length > pageSize,
      total: counted === undefined ? undefined : Number(counted[0]?.total)
    }
  })
}
