import { totalLimit } from "@wcs/domain/resource/ListQuery"
import { clockSlackMillis, type SeriesPage, type SeriesSelection } from "@wcs/domain/resource/Series"
import { Effect, Record } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { dialectOf } from "./Dialect.ts"

/** The layout of a series: a tenant's rows by position. */
export interface SeriesTable<Field extends string, TableRow, Row> {
  readonly name: string
  /** The columns of a row besides its position. */
  readonly selected: string
  /** The index of all rows: `(tenant_id, position)`. */
  readonly index: string
  /** A condition that only rows of the series meet, if the table also has other rows. */
  readonly only?: string
  /**
   * The column of each field, and its index `(tenant_id, <column>, position)`. Of several conditions the first in this
   * order selects the index.
   */
  readonly fields: Readonly<Record<Field, { readonly column: string; readonly index: string }>>
  /** The column with the end time of a row, null until it ends. Absent if rows do not end. */
  readonly ends?: string
  /** The column with the time of writing, if there is one. */
  readonly time?: string
  readonly decode: (row: TableRow) => Row
}

interface Placed {
  readonly position: unknown
}

/** Reads pages of a series: one statement, plus one if a total is requested. */
export const makeSeriesPage = <Field extends string, TableRow, Row>(
  sql: SqlClient.SqlClient,
  { decode, ends, fields, index, name, only, selected, time }: SeriesTable<Field, TableRow, Row>
) => {
  const dialect = dialectOf(sql)
  const columns = sql.literal(selected)

  /** The index of the most selective condition, by the table's order. */
  const indexFor = (asked: ReadonlyArray<Field>): string => {
    const best = Record.keys(fields).find((field) => asked.includes(field))
    return best === undefined ? index : fields[best].index
  }

  /**
   * Binary search for a moment among the positions of a tenant; times follow positions. `low` and `high` end up
   * adjacent: the first row from `low` on was written before the moment, the first row from `high` on was not.
   */
  const searched = (tenantId: string, side: "low" | "high", moment: number) => {
    const rows = (alias: string) =>
      sql`FROM ${sql.literal(`${name} AS ${alias}`)}${dialect.indexedBy(index)} WHERE ${sql.literal(alias)}.tenant_id = ${tenantId}`
    const isBefore = sql`(SELECT p.${sql.literal(time ?? "")} ${rows("p")}
      AND p.position >= (low + high) / 2 ORDER BY p.position LIMIT 1) < ${moment}`
    return sql`(WITH RECURSIVE search(low, high) AS (
      SELECT CAST(0 AS BIGINT), (SELECT COALESCE(max(m.position), 0) + 1 ${rows("m")})
      UNION ALL
      SELECT CASE WHEN ${isBefore} THEN (low + high) / 2 ELSE low END, CASE WHEN ${isBefore} THEN high ELSE (low + high) / 2 END
      FROM search WHERE high - low > 1
    ) SELECT ${sql.literal(side)} FROM search WHERE high - low <= 1)`
  }

  /**
   * Turns a time range into a range of positions, which every index of the series ends in, so that only rows between
   * are read. Times follow positions up to the slack: the range includes it, and each row's time is tested as well.
   */
  const timeTests = (tenantId: string, { from, to }: Pick<SeriesSelection<Field>, "from" | "to">) => {
    const at = sql.literal(`r.${time}`)
    return {
      timed: [
        ...(from === undefined ? [] : [sql`${at} >= ${from}`]),
        ...(to === undefined ? [] : [sql`${at} < ${to}`])
      ],
      lowest: from === undefined ? [] : [sql`r.position >= ${searched(tenantId, "low", from - clockSlackMillis)}`],
      highest: to === undefined ? [] : [sql`r.position < ${searched(tenantId, "high", to + clockSlackMillis)}`]
    }
  }

  const statements = (
    tenantId: string,
    conditions: NonNullable<SeriesSelection<Field>["conditions"]>,
    selection: SeriesSelection<Field>
  ) => {
    const { after, direction, includeDeleted, pageSize } = selection
    const { highest, lowest, timed } = timeTests(tenantId, selection)
    const tests = [
      sql`r.tenant_id = ${tenantId}`,
      ...(only === undefined ? [] : [sql.literal(only)]),
      ...(ends === undefined || includeDeleted ? [] : [sql`r.${sql.literal(ends)} IS NULL`]),
      ...conditions.map(({ field, value }) => sql`r.${sql.literal(fields[field].column)} = ${value}`),
      ...timed
    ]
    const reached = dialect.indexedBy(indexFor(conditions.map(({ field }) => field)))
    const from = (all: ReadonlyArray<Statement.Fragment>) =>
      sql`FROM ${sql.literal(name)} AS r${reached} WHERE ${sql.and(all)}`
    const [beyond, order] =
      direction === "asc" ? [sql.literal(">"), sql.literal("ASC")] : [sql.literal("<"), sql.literal("DESC")]
    // A cursor lies within the time range, so it replaces the bound on its side.
    const cursor = after === undefined ? undefined : [sql`r.position ${beyond} ${after}`]
    const bounds = direction === "asc" ? [...(cursor ?? lowest), ...highest] : [...lowest, ...(cursor ?? highest)]
    return {
      // Reads one row more than the page, to know whether another page follows.
      page: sql<TableRow & Placed>`SELECT r.position, ${columns} ${from([...tests, ...bounds])}
        ORDER BY r.position ${order} LIMIT ${pageSize + 1}`,
      total: sql<{ readonly total: unknown }>`SELECT count(*) AS total
        FROM (SELECT 1 AS one ${from([...tests, ...lowest, ...highest])} LIMIT ${totalLimit}) AS counted`
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
