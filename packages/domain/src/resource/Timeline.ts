import { Record, Result } from "effect"
import type { EntityType } from "../access/Privilege.ts"
import { cardKey } from "../shared/CardNumber.ts"
import type { Instant } from "../shared/Instant.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import type { JsonObject } from "../shared/Json.ts"
import { parseSearch, type Sought } from "../shared/SearchWords.ts"
import type { ShownPage } from "./Collection.ts"
import * as ListQuery from "./ListQuery.ts"

/**
 * A list in the order of writing, forwards or backwards. Each row has a position that increases over all tenants and is
 * the cursor. So paging costs the same at any depth and returns each row once.
 */
export interface Timeline<Field extends string> {
  readonly type: EntityType | "scan" | "ownershipChange" | "merge" | "note"
  /** The filters, each with the allowed values, or undefined for any value. */
  readonly filters: Readonly<Record<Field, ReadonlyArray<string> | undefined>>
  /** The fields of card numbers, which are compared by `cardKey`. */
  readonly cards?: ReadonlyArray<Field>
  /** Whether rows can end. Ended rows are listed only with `includeDeleted`. */
  readonly ends: boolean
  /** The list accepts `from` and `to`, by the time of writing. */
  readonly timed?: true
  /** The list accepts `query`, a search by the words of a row. */
  readonly searched?: true
  /** Without `sort`, the newest row comes first. */
  readonly newestFirst?: true
}

/**
 * How far the times of the rows may differ from their order, because servers have different clocks. A filter by time may
 * miss rows beyond that, for example after a clock was set back.
 */
export const clockSlackMillis = 300_000

/** A list query to the store. Conditions are combined with AND. */
export interface TimelineSelection<Field extends string> {
  /** Fields and the values that they must have; `undefined` if no row can have one of the values. */
  readonly conditions: ReadonlyArray<{ readonly field: Field; readonly value: string }> | undefined
  /** Only rows written at this time or later. */
  readonly from?: Instant
  /** Only rows written before this time. */
  readonly to?: Instant
  /** Only rows whose words match, by `isSought`. */
  readonly sought?: Sought
  readonly direction: "asc" | "desc"
  readonly pageSize: number
  /** The position of the last row before the page, in the direction. */
  readonly after: number | undefined
  readonly includeDeleted: boolean
  /** Whether to count the matches, up to `totalLimit`. */
  readonly includeTotal: boolean
}

/**
 * One page of a timeline. A store may read a page in several bounded reads. Each sees the rows committed by then.
 * Positions never change, so no row is repeated or left out.
 */
export interface TimelinePage<Row> {
  readonly items: ReadonlyArray<Row & { readonly position: number }>
  /** Whether another page follows. */
  readonly hasMore: boolean
  /** The number of matches, at most `totalLimit`. Only if the selection asks for it. */
  readonly total: number | undefined
}

/** `createdAt` names the order of writing, because the times follow that order. */
const sorts = { createdAt: "position" }

const parameters = ({ ends, filters, searched, timed }: Timeline<string>): ReadonlyArray<string> => [
  "pageSize",
  "cursor",
  "sort",
  "includeTotal",
  ...(ends ? ["includeDeleted"] : []),
  ...(timed ? ["from", "to"] : []),
  ...(searched ? ["query"] : []),
  ...Object.keys(filters)
]

const toCursor = (timeline: Timeline<string>, direction: string, position: number): string =>
  ListQuery.toCursorText([timeline.type, direction, position])

const parseCursor = (
  timeline: Timeline<string>,
  direction: string,
  text: string
): Result.Result<number, InvalidArgument> => {
  const values = ListQuery.fromCursorText(text)
  const [type, order, position] = values
  return type === timeline.type && order === direction && values.length === 3 && Number.isSafeInteger(position)
    ? Result.succeed(Number(position))
    : ListQuery.foreignCursor
}

/** Parses a list's query. Fails on unknown, repeated or malformed parameters (ENV-07). */
export const parse = <Field extends string>(
  timeline: Timeline<Field>,
  query: ListQuery.Query
): Result.Result<TimelineSelection<Field>, InvalidArgument> =>
  Result.gen(function* () {
    const given = yield* ListQuery.singles(parameters(timeline), query)
    const byDefault = timeline.newestFirst === true ? "createdAt:desc" : "createdAt:asc"
    const { direction } = yield* ListQuery.parseSort(sorts, given.get("sort") ?? byDefault)
    const pageSize = yield* ListQuery.parsePageSize(given.get("pageSize"))
    const cursor = given.get("cursor")
    const conditions: Array<{ readonly field: Field; readonly value: string }> = []
    let matchable = true
    for (const field of Record.keys(timeline.filters)) {
      const value = given.get(field)
      if (value === undefined) continue
      const exact = yield* ListQuery.among(field, timeline.filters[field], value)
      conditions.push({ field, value: timeline.cards?.includes(field) ? cardKey(exact) : exact })
      if (ListQuery.isNoStoredText(value)) matchable = false
    }
    const search = given.get("query")
    const sought = search === undefined ? undefined : parseSearch(search)
    if (search !== undefined && sought === undefined) matchable = false
    const from = yield* ListQuery.parseMoment("from", given.get("from"))
    const to = yield* ListQuery.parseMoment("to", given.get("to"))
    return {
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      ...(sought === undefined ? {} : { sought }),
      conditions: matchable ? conditions : undefined,
      direction,
      pageSize,
      after: cursor === undefined ? undefined : yield* parseCursor(timeline, direction, cursor),
      includeDeleted: yield* ListQuery.parseFlag("includeDeleted", given.get("includeDeleted")),
      includeTotal: yield* ListQuery.parseFlag("includeTotal", given.get("includeTotal"))
    }
  })

/** Returns a page for the response. */
export const shownPage = <Field extends string, Row, Shown extends JsonObject>(
  timeline: Timeline<Field>,
  { direction, pageSize }: TimelineSelection<Field>,
  { hasMore, items, total }: TimelinePage<Row>,
  show: (row: Row) => Shown
): ShownPage<Shown> => {
  const last = items.at(-1)
  return {
    documents: items.map(show),
    pageSize,
    nextCursor: hasMore && last !== undefined ? toCursor(timeline, direction, last.position) : null,
    total,
    warnings: []
  }
}
