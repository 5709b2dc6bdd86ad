import { Record, Result } from "effect"
import type { EntityType } from "../access/Privilege.ts"
import type { Instant } from "../shared/Instant.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import type { JsonObject } from "../shared/Json.ts"
import type { ShownPage } from "./Collection.ts"
import * as ListQuery from "./ListQuery.ts"

/**
 * What is listed in the order in which it was written, forwards or backwards. Each row has a position, counted upwards
 * over all tenants: it is the cursor, so that a walk costs the same at any depth and meets each row once.
 */
export interface Series<Field extends string> {
  readonly type: EntityType | "scan" | "ownershipChange"
  /** The fields that a caller can ask for, each with the values that there are where these are known. */
  readonly filters: Readonly<Record<Field, ReadonlyArray<string> | undefined>>
  /** Whether a row can end, and is then seen only by who asks for deleted ones. */
  readonly ends: boolean
  /** Its list takes `from` and `to`, by the time of writing. */
  readonly timed?: true
  /** Without `sort`, the list starts with the newest row. */
  readonly newestFirst?: true
}

/**
 * How far the times of a series may stray from its order: servers have clocks of their own. A filter by time may miss a
 * row that strays further, as after a clock was set back.
 */
export const clockSlackMillis = 300_000

/** What a list asks of the store. All conditions hold at once. */
export interface SeriesSelection<Field extends string> {
  /** Fields and the values that they must have; `undefined` where nothing can match. */
  readonly conditions: ReadonlyArray<{ readonly field: Field; readonly value: string }> | undefined
  /** Only rows written at or after this moment. */
  readonly from?: Instant
  /** Only rows written before this moment. */
  readonly to?: Instant
  readonly direction: "asc" | "desc"
  readonly pageSize: number
  /** The position after which, in the direction, the page begins. */
  readonly after: number | undefined
  readonly includeDeleted: boolean
  /** Count what matches, up to `totalLimit`. */
  readonly includeTotal: boolean
}

/** One page of a series. */
export interface SeriesPage<Row> {
  readonly items: ReadonlyArray<Row & { readonly position: number }>
  /** Whether more follow after the last item. */
  readonly hasMore: boolean
  /** How many match, at most `totalLimit`; only where the selection asked. */
  readonly total: number | undefined
}

/** The order of writing goes by the name of the time that it follows. */
const sorts = { createdAt: "position" }

const parameters = ({ ends, filters, timed }: Series<string>): ReadonlyArray<string> => [
  "pageSize",
  "cursor",
  "sort",
  "includeTotal",
  ...(ends ? ["includeDeleted"] : []),
  ...(timed ? ["from", "to"] : []),
  ...Object.keys(filters)
]

const toCursor = (series: Series<string>, direction: string, position: number): string =>
  ListQuery.toCursorText([series.type, direction, position])

const parseCursor = (
  series: Series<string>,
  direction: string,
  text: string
): Result.Result<number, InvalidArgument> => {
  const values = ListQuery.fromCursorText(text)
  const [type, order, position] = values
  return type === series.type && order === direction && values.length === 3 && Number.isSafeInteger(position)
    ? Result.succeed(Number(position))
    : ListQuery.foreignCursor
}

/** Reads a list's query. Unknown parameters, repeated ones and malformed values are refused (ENV-07). */
export const parse = <Field extends string>(
  series: Series<Field>,
  query: ListQuery.Query
): Result.Result<SeriesSelection<Field>, InvalidArgument> =>
  Result.gen(function* () {
    const given = yield* ListQuery.singles(parameters(series), query)
    const byDefault = series.newestFirst === true ? "createdAt:desc" : "createdAt:asc"
    const { direction } = yield* ListQuery.parseSort(sorts, given.get("sort") ?? byDefault)
    const pageSize = yield* ListQuery.parsePageSize(given.get("pageSize"))
    const cursor = given.get("cursor")
    const conditions: Array<{ readonly field: Field; readonly value: string }> = []
    let matchable = true
    for (const field of Record.keys(series.filters)) {
      const value = given.get(field)
      if (value === undefined) continue
      conditions.push({ field, value: yield* ListQuery.among(field, series.filters[field], value) })
      if (ListQuery.isNoStoredText(value)) matchable = false
    }
    const from = yield* ListQuery.parseMoment("from", given.get("from"))
    const to = yield* ListQuery.parseMoment("to", given.get("to"))
    return {
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      conditions: matchable ? conditions : undefined,
      direction,
      pageSize,
      after: cursor === undefined ? undefined : yield* parseCursor(series, direction, cursor),
      includeDeleted: yield* ListQuery.parseFlag("includeDeleted", given.get("includeDeleted")),
      includeTotal: yield* ListQuery.parseFlag("includeTotal", given.get("includeTotal"))
    }
  })

/** A page as it is answered. */
export const shownPage = <Field extends string, Row, Shown extends JsonObject>(
  series: Series<Field>,
  { direction, pageSize }: SeriesSelection<Field>,
  { hasMore, items, total }: SeriesPage<Row>,
  show: (row: Row) => Shown
): ShownPage<Shown> => {
  const last = items.at(-1)
  return {
    documents: items.map(show),
    pageSize,
    nextCursor: hasMore && last !== undefined ? toCursor(series, direction, last.position) : null,
    total,
    warnings: []
  }
}
