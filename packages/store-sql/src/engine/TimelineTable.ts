import { totalLimit } from "@wcs/domain/resource/ListQuery"
import type { TimelinePage, TimelineSelection } from "@wcs/domain/resource/Timeline"
import type { Sought } from "@wcs/domain/shared/SearchWords"
import { Effect, Record } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { makeSearch, wordsTest } from "../resource/SearchRows.ts"
import { makeBoundedReads, ReadLimits } from "./BoundedReads.ts"
import { dialectOf } from "./Dialect.ts"
import { makeTimeTests } from "./TimeTests.ts"

/** The layout of a timeline: a tenant's rows by position. */
export interface TimelineTable<Field extends string, TableRow, Row> {
  readonly name: string
  /** The columns of a row besides its position, separated by a comma and a space. */
  readonly selected: string
  /** The index of all rows: `(tenant_id, position)`. */
  readonly index: string
  /** A condition that only rows of the timeline meet, if the table also has other rows. */
  readonly only?: string
  /**
   * The column of each field, and its index `(tenant_id, <column>, position)`. Of several conditions the first in this
   * order selects the index. `within`: a field that each such list has a condition on, and whose column precedes this
   * one in the index. `where`: the condition of an index of some rows, which the list must imply.
   */
  readonly fields: Readonly<
    Record<
      Field,
      {
        readonly column: string
        readonly index: string
        readonly within?: NoInfer<Field>
        readonly where?: string
      }
    >
  >
  /** The `kind` of the rows' search words, if the timeline is searched. Then its rows have a column `id`. */
  readonly searched?: string
  /** The column with the end time of a row, null until it ends. Absent if rows do not end. */
  readonly ends?: string
  /** The column with the time of writing, if there is one. */
  readonly time?: string
  readonly decode: (row: TableRow) => Row
}

interface Placed {
  readonly position: unknown
}

/** The conditions of a list: on columns of the index, on positions, and `tests` on others. */
interface Parts {
  readonly index: string
  readonly looked: ReadonlyArray<Statement.Fragment>
  readonly lowest: ReadonlyArray<Statement.Fragment>
  readonly highest: ReadonlyArray<Statement.Fragment>
  readonly tests: ReadonlyArray<Statement.Fragment>
}

/** The rows of a page and one more, if there is one. */
interface PageRows<TableRow> {
  readonly rows: ReadonlyArray<TableRow & Placed>
  readonly total: number | undefined
}

/**
 * Reads pages of a search. It first finds the ids of the matches. If these are few, they are sorted in memory.
 * Otherwise `page` reads the rows in the order of the list.
 */
const makePageOfSearch = Effect.fnUntraced(function* <Field extends string, TableRow>(
  { kind, name, selected }: { readonly name: string; readonly selected: string; readonly kind: string },
  page: (parts: Parts, selection: TimelineSelection<Field>) => Effect.Effect<PageRows<TableRow>, SqlError.SqlError>
) {
  const sql = yield* SqlClient.SqlClient
  const dialect = dialectOf(sql)
  const search = yield* makeSearch
  const { few } = yield* ReadLimits

  const among = (ids: ReadonlyArray<string>, { looked, tests }: Parts, selection: TimelineSelection<Field>) => {
    const { after, direction, pageSize } = selection
    const [beyond, order] = direction === "asc" ? [">", "ASC"] : ["<", "DESC"]
    const isBeyond = after === undefined ? [] : [sql`r.position ${sql.literal(beyond)} ${after}`]
    const isAmong = dialect.isAmong("r.id", JSON.stringify(ids))
    return sql<TableRow & Placed>`SELECT r.position, ${sql.literal(selected)} FROM ${sql.literal(name)} AS r
      WHERE ${sql.and([...looked, isAmong, ...tests, ...isBeyond])}
      ORDER BY r.position ${sql.literal(order)} LIMIT ${pageSize + 1}`
  }

  return Effect.fnUntraced(function* (
    tenantId: string,
    given: Parts,
    sought: Sought,
    selection: TimelineSelection<Field>
  ): Effect.fn.Return<PageRows<TableRow>, SqlError.SqlError> {
    const parts = { ...given, tests: [...given.tests, wordsTest(sql, sought)] }
    const most = selection.includeTotal ? Math.max(totalLimit, few + 1) : few + 1
    const { highest, looked, lowest, tests } = parts
    const all = [...looked, ...lowest, ...highest, ...tests]
    const ids = yield* search({ table: name, kind }, tenantId, sought, all, most)
    const total = selection.includeTotal ? Math.min(ids.length, totalLimit) : undefined
    if (ids.length <= few) return { rows: yield* among(ids, parts, selection), total }
    const { rows } = yield* page(parts, { ...selection, includeTotal: false })
    return { rows, total }
  })
})

/** Reads pages of a timeline, and the total if it is requested. */
export const makeTimelinePage = Effect.fnUntraced(function* <Field extends string, TableRow, Row>({
  decode,
  ends,
  fields,
  index,
  name,
  only,
  searched,
  selected,
  time
}: TimelineTable<Field, TableRow, Row>) {
  const sql = yield* SqlClient.SqlClient
  const dialect = dialectOf(sql)
  const chunks = yield* makeBoundedReads
  const columns = sql.literal(selected)
  const timeTests = makeTimeTests(sql, { name, index, time: time ?? "" })

  /** The most selective condition, by the table's order. */
  const bestOf = (conditions: NonNullable<TimelineSelection<Field>["conditions"]>) => {
    const best = Record.keys(fields).find((field) => conditions.some((condition) => condition.field === field))
    return conditions.find(({ field }) => field === best)
  }

  const partsOf = (
    tenantId: string,
    conditions: NonNullable<TimelineSelection<Field>["conditions"]>,
    selection: TimelineSelection<Field>
  ): Parts => {
    const { includeDeleted } = selection
    const { highest, lowest, timed } = timeTests(tenantId, selection)
    const tested = ({ field, value }: (typeof conditions)[number]) =>
      sql`r.${sql.literal(fields[field].column)} = ${value}`
    const best = bestOf(conditions)
    const isLooked = (condition: (typeof conditions)[number]) =>
      condition === best || (best !== undefined && fields[best.field].within === condition.field)
    const by = best && fields[best.field]
    const where = by?.where === undefined ? [] : [sql.literal(by.where)]
    return {
      index: by?.index ?? index,
      looked: [sql`r.tenant_id = ${tenantId}`, ...conditions.filter(isLooked).map(tested), ...where],
      lowest,
      highest,
      tests: [
        ...(only === undefined ? [] : [sql.literal(only)]),
        ...(ends === undefined || includeDeleted ? [] : [sql`r.${sql.literal(ends)} IS NULL`]),
        ...conditions.filter((condition) => !isLooked(condition)).map(tested),
        ...timed
      ]
    }
  }

  /** On an engine that plans with statistics: one statement, and one more for a total. */
  const planned = Effect.fnUntraced(function* (
    parts: Parts,
    { after, direction, includeTotal, pageSize }: TimelineSelection<Field>
  ) {
    const { highest, looked, lowest, tests } = parts
    const from = (all: ReadonlyArray<Statement.Fragment>) => sql`FROM ${sql.literal(name)} AS r WHERE ${sql.and(all)}`
    const [beyond, order] =
      direction === "asc" ? [sql.literal(">"), sql.literal("ASC")] : [sql.literal("<"), sql.literal("DESC")]
    // A cursor lies within the time range, so it replaces the bound on its side.
    const cursor = after === undefined ? undefined : [sql`r.position ${beyond} ${after}`]
    const bounds = direction === "asc" ? [...(cursor ?? lowest), ...highest] : [...lowest, ...(cursor ?? highest)]
    const rows = yield* sql<TableRow & Placed>`SELECT r.position, ${columns} ${from([...looked, ...tests, ...bounds])}
      ORDER BY r.position ${order} LIMIT ${pageSize + 1}`
    if (!includeTotal) return { rows, total: undefined }
    const [counted] = yield* sql<{ readonly total: unknown }>`SELECT count(*) AS total
      FROM (SELECT 1 AS one ${from([...looked, ...tests, ...lowest, ...highest])} LIMIT ${totalLimit}) AS counted`
    return { rows, total: Number(counted?.total) }
  })

  /** On an engine in this process: bounded statements. */
  const bounded = Effect.fnUntraced(function* (
    parts: Parts,
    { after, direction, includeTotal, pageSize }: TimelineSelection<Field>
  ) {
    const { highest, looked, lowest, tests } = parts
    const keys = ["position"]
    const range = {
      table: name,
      index: parts.index,
      fixed: looked,
      lower: lowest,
      upper: highest,
      keys,
      direction,
      tests
    }
    const rows = yield* chunks.read(range, ["r.position", ...selected.split(", ")], {
      after: after === undefined ? undefined : [after],
      offset: 0,
      limit: pageSize + 1
    })
    return {
      rows: rows as unknown as ReadonlyArray<TableRow & Placed>,
      total: includeTotal ? yield* chunks.count([range]) : undefined
    }
  })

  const page = (parts: Parts, selection: TimelineSelection<Field>) =>
    dialect.blocks ? bounded(parts, selection) : planned(parts, selection)

  const pageOfSearch = yield* makePageOfSearch<Field, TableRow>({ name, selected, kind: searched ?? "" }, page)

  return Effect.fnUntraced(function* (
    tenantId: string,
    selection: TimelineSelection<Field>,
    /** Further conditions on rows `r`. */
    tests: ReadonlyArray<Statement.Fragment> = []
  ): Effect.fn.Return<TimelinePage<Row>, SqlError.SqlError> {
    const { conditions, includeTotal, pageSize } = selection
    if (conditions === undefined) return { items: [], hasMore: false, total: includeTotal ? 0 : undefined }
    const given = partsOf(tenantId, conditions, selection)
    const parts = { ...given, tests: [...given.tests, ...tests] }
    const { rows, total } = yield* selection.sought === undefined || searched === undefined
      ? page(parts, selection)
      : pageOfSearch(tenantId, parts, selection.sought, selection)
    return {
      items: rows.slice(0, pageSize).map((row) => ({ ...decode(row), position: Number(row.position) })),
      hasMore: rows.length > pageSize,
      total
    }
  })
})
