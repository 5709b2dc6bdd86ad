import { Result } from "effect"
import { type IdKind, idFormat, isId } from "../shared/Id.ts"
import { dateFormat, fromRfc3339, type Instant, isCalendarDate, timeFormat } from "../shared/Instant.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import type { JsonObject } from "../shared/Json.ts"
import { parseSearch, type Sought } from "../shared/SearchWords.ts"
import { oneOf } from "../shared/ValueFormat.ts"
import { columnText, columnValue, type Filter, type Holder, type Resource, type Stored } from "./Resource.ts"

/** A condition on stored rows. A selection combines conditions with AND. */
export type Condition =
  | { readonly _tag: "Equal"; readonly column: string; readonly value: string }
  | { readonly _tag: "Unequal"; readonly column: string; readonly value: string }
  /** The column has a date before the value. */
  | { readonly _tag: "Before"; readonly column: string; readonly value: string }
  /** The column has a date equal to the value or later. */
  | { readonly _tag: "From"; readonly column: string; readonly value: string }
  /** The words of the row match, by `isSought`. */
  | { readonly _tag: "Words"; readonly sought: Sought }
  /** The column equals the value. A row with `until` before `today` counts as `lapsed`. */
  | {
      readonly _tag: "Lapsing"
      readonly column: string
      readonly until: string
      readonly lapsed: string
      readonly today: string
      readonly value: string
    }
  /** The row is about a person of this unit or of one below it. Without a unit: about a person without one. */
  | { readonly _tag: "InUnit"; readonly unit: string | undefined }
  | { readonly _tag: "HeldBy"; readonly holders: ReadonlyArray<Holder>; readonly value: string }
  /** Unix milliseconds, exclusive. */
  | { readonly _tag: "UpdatedAfter"; readonly value: number }
  | { readonly _tag: "UpdatedBefore"; readonly value: number }

/**
 * The order of a list. `id` is always the last key. `column` is one of the resource's columns or of those that every
 * resource has.
 */
export interface Sort {
  readonly column: string
  readonly direction: "asc" | "desc"
}

/** The last row before a page: its sort key and id. */
export interface Cursor {
  readonly key: string | number
  readonly id: string
}

/**
 * Kept: workers with this kept result in all enabled checks or in some of them, except some workers. Among: workers with
 * these ids, with any kept result, or other resources with these ids.
 */
export type Complying =
  | {
      readonly _tag: "Kept"
      readonly result: "PASS" | "FAIL"
      readonly checks?: ReadonlyArray<string> | undefined
      readonly except: ReadonlyArray<string>
    }
  | { readonly _tag: "Among"; readonly ids: ReadonlyArray<string> }

/** A list query to the store. */
export interface Selection {
  /** `undefined` if a filter has a value that no row can have, such as the empty string. */
  readonly conditions: ReadonlyArray<Condition> | undefined
  readonly sort: Sort
  readonly pageSize: number
  readonly after: Cursor | undefined
  /** Rows to skip, as an alternative to a cursor. Bounded. */
  readonly offset: number
  readonly includeDeleted: boolean
  /** Whether to count the matches, up to `totalLimit`. */
  readonly includeTotal: boolean
  /** A condition on workers, or on ids, besides `conditions`. */
  readonly complying?: Complying
}

export const defaultPageSize = 25
export const maxPageSize = 100
/** The last row that `page` reaches. Cursors have no limit. */
export const maxPagedRow = 10_000
/** The highest total; counting stops here. */
export const totalLimit = 10_000

/** The query parameters of every list, besides the resource's own filters. */
export const parameters = [
  "pageSize",
  "cursor",
  "page",
  "sort",
  "includeDeleted",
  "updatedAfter",
  "updatedBefore",
  "includeTotal"
] as const

/** The reason of an error about a repeated parameter. */
export const repeated = "must be given once"

/** The query as sent. A repeated parameter is an array. */
export type Query = Readonly<Record<string, string | ReadonlyArray<string>>>

const invalid = (field: string, reason: string) => Result.fail(new InvalidArgument({ field, reason }))

/** The fields by which every resource can be sorted, with their columns. */
export const baseSorts: Readonly<Record<string, string>> = {
  createdAt: "created_at",
  updatedAt: "updated_at",
  id: "id"
}

/** The numeric columns that every resource has. */
export const numericColumns: ReadonlyArray<string> = ["created_at", "updated_at"]

/** Parses `sort`. `known` maps field names to columns; the first is the default. */
export const parseSort = (
  known: Readonly<Record<string, string>>,
  text = `${Object.keys(known)[0]}:asc`
): Result.Result<Sort, InvalidArgument> => {
  const [field = "", direction = "asc", ...rest] = text.split(":")
  const column = Object.hasOwn(known, field) ? known[field] : undefined
  return column !== undefined && rest.length === 0 && (direction === "asc" || direction === "desc")
    ? Result.succeed({ column, direction })
    : invalid("sort", `must be field:asc or field:desc. Possible fields: ${Object.keys(known).join(", ")}`)
}

export const parsePageSize = (text: string | undefined): Result.Result<number, InvalidArgument> => {
  if (text === undefined) return Result.succeed(defaultPageSize)
  return /^\+?\d+$/.test(text) && Number(text) >= 1
    ? Result.succeed(Math.min(Number(text), maxPageSize))
    : invalid("pageSize", "must be an integer of at least 1")
}

const parseOffset = (text: string | undefined, pageSize: number): Result.Result<number, InvalidArgument> => {
  if (text === undefined) return Result.succeed(0)
  if (!/^\d{1,15}$/.test(text) || Number(text) < 1) return invalid("page", "must be an integer of at least 1")
  const offset = (Number(text) - 1) * pageSize
  return offset + pageSize <= maxPagedRow
    ? Result.succeed(offset)
    : invalid("page", `must not go beyond row ${maxPagedRow}. Use cursor instead`)
}

export const parseFlag = (field: string, text: string | undefined): Result.Result<boolean, InvalidArgument> =>
  text === undefined || text === "false"
    ? Result.succeed(false)
    : text === "true"
      ? Result.succeed(true)
      : invalid(field, "must be true or false")

/** Parses an RFC 3339 time, if given. */
export const parseMoment = (
  field: string,
  text: string | undefined
): Result.Result<Instant | undefined, InvalidArgument> => {
  const instant = text === undefined ? undefined : fromRfc3339(text)
  return instant === undefined && text !== undefined ? invalid(field, `must be ${timeFormat}`) : Result.succeed(instant)
}

const parseInstant = (
  field: string,
  text: string | undefined,
  condition: (value: number) => Condition
): Result.Result<ReadonlyArray<Condition>, InvalidArgument> =>
  Result.map(parseMoment(field, text), (instant) => (instant === undefined ? [] : [condition(instant)]))

const parseId = (field: string, kind: IdKind, id: string): Result.Result<string, InvalidArgument> =>
  isId(kind, id) ? Result.succeed(id) : invalid(field, `must be ${idFormat(kind)}`)

const parseSlot = (
  field: string,
  filter: Extract<Filter, { readonly by: "slot" }>,
  id: string,
  type: string | undefined
): Result.Result<Condition, InvalidArgument> => {
  const column = type !== undefined && Object.hasOwn(filter.columns, type) ? filter.columns[type] : undefined
  if (column === undefined) {
    return invalid(filter.type, `must be ${oneOf(Object.keys(filter.columns))} when ${field} is given`)
  }
  return Result.map(parseId(field, type as "worker" | "applicant", id), (value) => ({ _tag: "Equal", column, value }))
}

export const among = (field: string, values: ReadonlyArray<string> | undefined, value: string) =>
  values === undefined || values.includes(value) ? Result.succeed(value) : invalid(field, `must be ${oneOf(values)}`)

/** The value of a filter by unit that finds people without one. */
export const withoutUnit = "none"

const parseFilter = (
  resource: Resource,
  field: string,
  filter: Filter,
  value: string,
  given: ReadonlyMap<string, string>,
  today: string
): Result.Result<Condition, InvalidArgument> => {
  switch (filter.by) {
    case "equal": {
      const { column, of } = filter
      if (of !== undefined) return Result.map(parseId(field, of, value), (id) => ({ _tag: "Equal", column, value: id }))
      return Result.map(among(field, filter.among, value), (exact) => ({
        _tag: "Equal",
        column,
        value: columnText(resource.columns[column], exact)
      }))
    }
    case "before":
      return isCalendarDate(value)
        ? Result.succeed({ _tag: "Before", column: filter.column, value })
        : invalid(field, `must be ${dateFormat}`)
    case "from":
      return isCalendarDate(value)
        ? Result.succeed({ _tag: "From", column: filter.column, value })
        : invalid(field, `must be ${dateFormat}`)
    case "words":
      return Result.succeed({ _tag: "Words", sought: parseSearch(value) ?? [] })
    case "lapsing":
      return Result.map(among(field, filter.among, value), (exact) => ({
        _tag: "Lapsing",
        column: filter.column,
        until: filter.until,
        lapsed: filter.lapsed,
        today,
        value: exact
      }))
    case "slot":
      return parseSlot(field, filter, value, given.get(filter.type))
    case "unit":
      if (value === withoutUnit) return Result.succeed({ _tag: "InUnit", unit: undefined })
      return Result.map(parseId(field, "unit", value), (unit) => ({ _tag: "InUnit", unit }))
    case "holder":
      return Result.succeed({ _tag: "HeldBy", holders: filter.holders, value })
  }
}

/** Maps the type parameter of each `slot` filter to the filter that needs it. */
const slotTypes = (resource: Resource): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(resource.filters).flatMap(([field, filter]) => (filter.by === "slot" ? [[filter.type, field]] : []))
  )

/** Returns the query parameters of a resource's list. */
export const knownParameters = (resource: Resource): ReadonlyArray<string> => [
  ...parameters,
  ...Object.keys(resource.filters),
  ...slotTypes(resource).keys()
]

/** Returns the given parameters. Fails on an unknown or repeated one. */
export const singles = (
  known: ReadonlyArray<string>,
  query: Query
): Result.Result<ReadonlyMap<string, string>, InvalidArgument> => {
  const given = new Map<string, string>()
  for (const [field, value] of Object.entries(query)) {
    if (!known.includes(field))
      return invalid(field.slice(0, 100), "is not a parameter of this list. The parameters are listed at /docs")
    if (typeof value !== "string") return invalid(field, repeated)
    given.set(field, value)
  }
  return Result.succeed(given)
}

const isSortKey = (sort: Sort, key: unknown): key is string | number =>
  numericColumns.includes(sort.column) ? Number.isSafeInteger(key) : typeof key === "string" && !key.includes("\0")

/** Returns the cursor text of these values. The surface seals it. */
export const toCursorText = (values: ReadonlyArray<string | number>): string => JSON.stringify(values)

/** Returns the values of a cursor text; none if the text is malformed. */
export const fromCursorText = (text: string): ReadonlyArray<unknown> => {
  const parsed = Result.try((): unknown => JSON.parse(text))
  return Result.isSuccess(parsed) && Array.isArray(parsed.success) ? parsed.success : []
}

/** The error for a cursor that does not belong to this list and order. */
export const foreignCursor = invalid(
  "cursor",
  "must be meta.nextCursor from a page of the same list with the same sort"
)

/** Returns a cursor text that is valid only for this list and order. */
export const encodeCursor = (resource: Resource, sort: Sort, { id, key }: Cursor): string =>
  toCursorText([resource.type, sort.column, sort.direction, key, id])

/** Returns the cursor after a row: its stored sort key and its id. */
export const cursorAfter = (resource: Resource, sort: Sort, row: Stored): Cursor => {
  switch (sort.column) {
    case "created_at":
      return { key: row.createdAt, id: row.id }
    case "updated_at":
      return { key: row.updatedAt, id: row.id }
    case "id":
      return { key: row.id, id: row.id }
    default:
      return { key: columnValue(resource, sort.column, row.fields), id: row.id }
  }
}

/** Compares texts by code points, as stores do. */
const compareTexts = (one: string, two: string): number => {
  const [ones, twos] = [Array.from(one), Array.from(two)]
  const index = ones.findIndex((letter, place) => letter !== twos[place])
  if (index === -1) return ones.length - twos.length
  return (ones[index]?.codePointAt(0) ?? 0) - (twos[index]?.codePointAt(0) ?? -1)
}

const compareKeys = (one: string | number, two: string | number): number =>
  typeof one === "number" && typeof two === "number" ? one - two : compareTexts(String(one), String(two))

/** Sorts rows in the order of a list. */
export const sorted = <Fields extends JsonObject>(
  resource: Resource,
  sort: Sort,
  rows: ReadonlyArray<Stored<Fields>>
): ReadonlyArray<Stored<Fields>> => {
  const way = sort.direction === "asc" ? 1 : -1
  return rows
    .map((row) => ({ row, ...cursorAfter(resource, sort, row) }))
    .sort((one, two) => way * (compareKeys(one.key, two.key) || compareTexts(one.id, two.id)))
    .map(({ row }) => row)
}

/** Returns the cursor text of the next page; null on the last page. */
export const nextCursor = (
  resource: Resource,
  { sort }: Selection,
  { hasMore, items }: { readonly hasMore: boolean; readonly items: ReadonlyArray<Stored> }
): string | null => {
  const last = items.at(-1)
  return hasMore && last !== undefined ? encodeCursor(resource, sort, cursorAfter(resource, sort, last)) : null
}

const decodeCursor = (resource: Resource, sort: Sort, text: string): Result.Result<Cursor, InvalidArgument> => {
  const values = fromCursorText(text)
  const [type, column, direction, key, id] = values
  const sameOrder = type === resource.type && column === sort.column && direction === sort.direction
  return sameOrder && values.length === 5 && isSortKey(sort, key) && typeof id === "string" && !id.includes("\0")
    ? Result.succeed({ key, id })
    : foreignCursor
}

/** Returns whether the filter accepts any text. Other filters have a fixed set of values. */
const isFreeText = (filter: Filter): boolean =>
  filter.by === "words" ||
  filter.by === "holder" ||
  (filter.by === "equal" && filter.among === undefined && filter.of === undefined)

/**
 * Returns whether no row can have this text: it is empty, contains NUL or contains a lone surrogate. Databases refuse
 * NUL and lone surrogates as parameters.
 */
export const isNoStoredText = (value: string): boolean => value === "" || value.includes("\0") || !value.isWellFormed()

/**
 * Parses a list's query by the filters and sorts of the resource. `today` (`YYYY-MM-DD`) decides expiry. Fails on
 * unknown, repeated or malformed parameters (ENV-07, WRK-10).
 */
export const parse = (resource: Resource, query: Query, today: string): Result.Result<Selection, InvalidArgument> =>
  Result.gen(function* () {
    const given = yield* singles(knownParameters(resource), query)
    for (const [type, field] of slotTypes(resource)) {
      if (given.has(type) && !given.has(field)) return yield* invalid(field, `is required together with ${type}`)
    }
    const sort = yield* parseSort({ ...baseSorts, ...resource.sorts }, given.get("sort"))
    const pageSize = yield* parsePageSize(given.get("pageSize"))
    const cursor = given.get("cursor")
    if (cursor !== undefined && given.has("page")) return yield* invalid("page", "cannot be combined with cursor")
    const conditions = [
      ...(yield* parseInstant("updatedAfter", given.get("updatedAfter"), (value) => ({ _tag: "UpdatedAfter", value }))),
      ...(yield* parseInstant("updatedBefore", given.get("updatedBefore"), (value) => ({
        _tag: "UpdatedBefore",
        value
      })))
    ]
    let matchable = true
    for (const [field, filter] of Object.entries(resource.filters)) {
      const value = given.get(field)
      if (value === undefined) continue
      const isUnstored = filter.by === "words" ? parseSearch(value) === undefined : isNoStoredText(value)
      if (isFreeText(filter) && isUnstored) matchable = false
      else conditions.push(yield* parseFilter(resource, field, filter, value, given, today))
    }
    return {
      conditions: matchable ? conditions : undefined,
      sort,
      pageSize,
      after: cursor === undefined ? undefined : yield* decodeCursor(resource, sort, cursor),
      offset: yield* parseOffset(given.get("page"), pageSize),
      includeDeleted: yield* parseFlag("includeDeleted", given.get("includeDeleted")),
      includeTotal: yield* parseFlag("includeTotal", given.get("includeTotal"))
    }
  })

/** Parses the query of a GET of one resource. Only `includeDeleted` is allowed. */
export const parseRead = (query: Query): Result.Result<{ readonly includeDeleted: boolean }, InvalidArgument> => {
  const unknown = Object.keys(query).find((field) => field !== "includeDeleted")
  if (unknown !== undefined)
    return invalid(unknown.slice(0, 100), "is not a parameter of this call. The parameters are listed at /docs")
  const { includeDeleted } = query
  if (includeDeleted !== undefined && typeof includeDeleted !== "string") {
    return invalid("includeDeleted", repeated)
  }
  return Result.map(parseFlag("includeDeleted", includeDeleted), (flag) => ({ includeDeleted: flag }))
}

/** Parses the query of a call that pages through a whole resource in the order of creation. */
export const parsePage = (resource: Resource, query: Query): Result.Result<Selection, InvalidArgument> => {
  const unknown = Object.keys(query).find((field) => field !== "pageSize" && field !== "cursor")
  return unknown === undefined
    ? parse(resource, query, "")
    : invalid(unknown.slice(0, 100), "is not a parameter of this call. The parameters are listed at /docs")
}

/** Parses the query of a call without parameters. */
export const parseNone = (query: Query): Result.Result<void, InvalidArgument> => {
  const [unknown] = Object.keys(query)
  return unknown === undefined
    ? Result.succeed(undefined)
    : invalid(unknown.slice(0, 100), "is not a parameter of this call. The parameters are listed at /docs")
}
