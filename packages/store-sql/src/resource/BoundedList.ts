import { type Cursor, totalLimit } from "@wcs/domain/resource/ListQuery"
import type { Resource } from "@wcs/domain/resource/Resource"
import { Effect } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { makeBoundedReads, type Range } from "../engine/BoundedReads.ts"
import { dialectOf } from "../engine/Dialect.ts"
import type { Row } from "../engine/ReadUpTo.ts"
import { type Asked, type Listed, type ListParts, makeListParts } from "./ListParts.ts"
import { type Access, conditionsOf, type IndexPart, isOfFew, keysOf, partInOrder } from "./ResourceCondition.ts"
import { type ResourceRow, tableOf } from "./ResourceTable.ts"

/** The index of a list's order. The order by id uses the primary key. */
const orderIndex = ({ type }: Resource, column: string): string =>
  column === "id" ? `sqlite_autoindex_${type}_1` : `${type}_by_${column}`

/** The ranges in which a list's rows are. */
const makeRanges = (sql: SqlClient.SqlClient, { testsOf }: ListParts) => {
  const rangeOf = (asked: Asked, part: IndexPart, more: ReadonlyArray<Statement.Fragment> = []): Range => {
    const { fixed, index, keys, lower, upper } = part
    return {
      table: asked.resource.type,
      index,
      fixed: [
        sql`r.tenant_id = ${asked.tenantId}`,
        ...(fixed === undefined ? [] : [sql`r.${sql.literal(fixed.column)} = ${fixed.value}`])
      ],
      lower: lower === undefined ? [] : [lower],
      upper: upper === undefined ? [] : [upper],
      keys,
      direction: asked.selection.sort.direction,
      tests: [...testsOf(asked, asked.conditions), ...more]
    }
  }

  /** All rows of the resource in the order of the list. */
  const everything = ({ resource, selection: { sort } }: Asked): IndexPart => ({
    index: orderIndex(resource, sort.column),
    keys: keysOf(sort)
  })

  return {
    everything,
    rangeOf,

    /** The rows of the first condition, each in one range. */
    apart: (asked: Asked): ReadonlyArray<Range> => {
      const parts = asked.access?.parts ?? [everything(asked)]
      return parts.map((part, index) =>
        rangeOf(
          asked,
          part,
          parts.slice(0, index).map((earlier) => sql`NOT (${sql.and(conditionsOf(sql, earlier))})`)
        )
      )
    }
  }
}

/** The rows of the first condition if they are few: found, sorted in memory, and counted. */
const makeFew = (sql: SqlClient.SqlClient, few: number, { beyond, joined, order, testsOf }: ListParts) => {
  const { rowPlace } = dialectOf(sql)
  const name = (text: string) => sql.literal(text)

  /** FROM and WHERE. */
  const matching = (asked: Asked, { places }: Access): Statement.Fragment => {
    const { conditions, resource } = asked
    const isFound = conditions[0]?._tag === "HeldBy" || conditions[0]?._tag === "Ids"
    const tests = testsOf(asked, isFound ? conditions.slice(1) : conditions)
    return sql`FROM (${joined(places, " UNION ")}) AS found CROSS JOIN ${name(resource.type)} AS r
      WHERE ${sql.and([...tests, sql`r.${rowPlace} = found.place`])}`
  }

  /** Whether the condition finds more than `few` rows, or owners. */
  const isCrowd = ({ owners, places }: Access): Statement.Fragment =>
    sql`EXISTS (SELECT 1 FROM (${joined([...owners, ...places], " UNION ALL ")}) LIMIT 1 OFFSET ${few})`

  return {
    crowd: (access: Access) => sql`SELECT ${isCrowd(access)} AS is_crowd`,

    /**
     * The rows of a page with their sort key, then a row with `is_crowd`: whether rows are missing. Only the rows of
     * the page are fetched.
     */
    page: (asked: Asked, access: Access, after: Cursor | undefined, offset: number, limit: number) => {
      const { resource, selection } = asked
      const { sort } = selection
      const { columns } = tableOf(resource)
      const nulls = columns.map(() => "NULL").join(", ")
      return sql`SELECT ${name(columns.join(", "))}, r.${name(sort.column)} AS sort_key, NULL AS is_crowd FROM (
          SELECT r.${rowPlace} AS place ${matching(asked, access)}${beyond(sort, after)}
          ORDER BY ${order(sort)} LIMIT ${limit} OFFSET ${offset}
        ) AS sorted CROSS JOIN ${name(resource.type)} AS r WHERE r.${rowPlace} = sorted.place
        UNION ALL SELECT ${name(nulls)}, NULL, ${isCrowd(access)}`
    },

    total: (asked: Asked, access: Access) =>
      sql`SELECT count(*) AS total, ${isCrowd(access)} AS is_crowd ${matching(asked, access)}`
  }
}

/** A row's place in the order of a list. */
const cursorOf = (row: Row): Cursor => ({ key: row["sort_key"] as string | number, id: String(row["id"]) })

/**
 * Reads lists on an engine in this process, in bounded statements. The index of the first condition has the rows in
 * order. Otherwise few rows are sorted in memory, and many are read in the order of the list until the page is full.
 */
export const makeBoundedList = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { characters, count, few, read, run } = yield* makeBoundedReads
  const parts = makeListParts(sql, dialectOf(sql), few)
  const { apart, everything, rangeOf } = makeRanges(sql, parts)
  const ofFew = makeFew(sql, few, parts)

  const isCrowd = (access: Access) => Effect.map(run(ofFew.crowd(access)), ([row]) => row?.["is_crowd"] === 1)

  /**
   * Puts a condition by units first if few rows meet it. A definition does not tell how many people units have, so the
   * others have precedence, and would read all rows of the tenant for a unit of ten people.
   */
  const fewFirst = Effect.fnUntraced(function* (asked: Asked): Effect.fn.Return<Asked, SqlError.SqlError> {
    const { conditions, resource, selection, tenantId } = asked
    const [first] = conditions
    const ofUnits =
      conditions.find(({ _tag }) => _tag === "InUnit") ?? conditions.find(({ _tag }) => _tag === "Overseen")
    if (first === undefined || ofUnits === undefined || first === ofUnits || isOfFew(resource, first)) return asked
    const access = parts.accessTo(resource, tenantId, ofUnits, selection.sort)
    if (access === undefined || (yield* isCrowd(access))) return asked
    return { ...asked, access, conditions: [ofUnits, ...conditions.filter((condition) => condition !== ofUnits)] }
  })

  /** The rows of a page from few ones; undefined if there are more. */
  const pageOfFew = Effect.fnUntraced(function* (asked: Asked, access: Access, limit: number) {
    const found: Array<Row> = []
    let { after, offset } = asked.selection
    for (;;) {
      const rows = yield* run(ofFew.page(asked, access, after, offset, limit - found.length), characters)
      const last = rows.at(-1)
      if (last?.["is_crowd"] === 1) return undefined
      const isEnd = last === undefined || last["is_crowd"] === 0
      found.push(...(isEnd ? rows.slice(0, -1) : rows))
      if (isEnd) return found
      // The statement ended before its row with `is_crowd`.
      if (found.length >= limit) return (yield* isCrowd(access)) ? undefined : found
      after = cursorOf(last)
      offset = 0
      yield* Effect.yieldNow
    }
  })

  const page = Effect.fnUntraced(function* (asked: Asked) {
    const { access, conditions, resource, selection } = asked
    const { after, offset, pageSize, sort } = selection
    const limit = pageSize + 1
    const inOrder = access === undefined ? undefined : partInOrder(access, sort)
    const [first] = conditions
    if (access !== undefined && first !== undefined && inOrder === undefined) {
      const isMany = !isOfFew(resource, first) && (yield* isCrowd(access))
      const found = isMany ? undefined : yield* pageOfFew(asked, access, limit)
      if (found !== undefined) return found
    }
    const part = inOrder ?? everything(asked)
    // A cursor of another filter may have another value: it is compared as well.
    const isWithin = part.fixed?.column !== sort.column || part.fixed.value === after?.key
    const range = rangeOf(asked, part, after === undefined || isWithin ? [] : [parts.isBeyond(sort, after)])
    return yield* read(range, tableOf(resource).columns, {
      after:
        after === undefined || !isWithin ? undefined : part.keys.map((key) => (key === "id" ? after.id : after.key)),
      offset,
      limit
    })
  })

  const total = Effect.fnUntraced(function* (asked: Asked) {
    if (asked.access !== undefined && asked.access.parts === undefined) {
      const [counted] = yield* run(ofFew.total(asked, asked.access))
      if (counted?.["is_crowd"] === 0) return Math.min(Number(counted["total"]), totalLimit)
    }
    return yield* count(apart(asked))
  })

  return {
    asked: parts.asked,
    list: Effect.fnUntraced(function* (wanted: Asked): Effect.fn.Return<Listed, SqlError.SqlError> {
      const asked = yield* fewFirst(wanted)
      const rows = (yield* page(asked)) as ReadonlyArray<ResourceRow>
      return { rows, total: asked.selection.includeTotal ? yield* total(asked) : undefined }
    })
  }
})
