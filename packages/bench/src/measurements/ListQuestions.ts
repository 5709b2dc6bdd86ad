import { DatabaseSync } from "node:sqlite"
import { encodeCursor, type Query, type Sort } from "@wcs/domain/resource/ListQuery"
import type { Resource } from "@wcs/domain/resource/Resource"
import { definitions } from "@wcs/store-suite/resource/Definitions"
import { type Sought, sortsOf, usesOf } from "@wcs/store-suite/resource/FilterUses"
import { cursorSealOf } from "../data/CursorSeal.ts"
import { storeFile } from "../data/Dataset.ts"
import { beginningOfFew, dateAfterAll, dateAfterFew } from "../data/ListData.ts"

export const pageSize = 25
/** The number of rows whose values and positions are queried. */
const asked = 200

/** A stored row by column. */
export type Columns = Readonly<Record<string, string | number>>

/** Rows to query, by resource type, and the seal of cursors. */
export interface Tables {
  readonly rows: ReadonlyMap<string, ReadonlyArray<Columns>>
  readonly seal: (cursor: string) => string
}

/** One kind of list query, as query strings for different rows. */
export interface Question {
  readonly what: string
  readonly queries: ReadonlyArray<string>
}

/** Rows scattered over each table by the golden ratio, the same in every run. */
export const scatteredRows = (directory: string, tenantId: string, rows: number): Tables => {
  using database = new DatabaseSync(storeFile(directory), { readOnly: true })
  const rowsOf = ({ type }: Resource): ReadonlyArray<Columns> => {
    const read = database.prepare(`SELECT * FROM ${type} WHERE rowid = ?`)
    return Array.from({ length: asked }, (_, n) => {
      const row = read.get(1 + Math.floor(((n * 0.618_033_988_749_895) % 1) * rows))
      if (row === undefined) throw new Error(`there are fewer than ${rows} rows of ${type}`)
      return row as Columns
    })
  }
  return {
    rows: new Map(definitions.map((resource) => [resource.type, rowsOf(resource)])),
    seal: cursorSealOf(directory, tenantId)
  }
}

const queryString = (parameters: Query): string =>
  String(new URLSearchParams({ ...parameters, pageSize: String(pageSize) }))

/** Cursors to rows in the first half of an order, so that more than a page follows each. */
const placesIn = (resource: Resource, sort: Sort, { rows, seal }: Tables): ReadonlyArray<string> => {
  const found = rows.get(resource.type) ?? []
  const keyOf = (row: Columns) => row[sort.column] ?? ""
  const way = sort.direction === "asc" ? 1 : -1
  return found
    .toSorted((one, two) => (keyOf(one) < keyOf(two) ? -way : keyOf(one) > keyOf(two) ? way : 0))
    .slice(0, found.length / 2)
    .map((row) => seal(encodeCursor(resource, sort, { key: keyOf(row), id: String(row["id"]) })))
}

/** Each order, from its beginning and from a cursor. */
export const sortQuestions = (resource: Resource, tables: Tables): ReadonlyArray<Question> =>
  Object.entries(sortsOf(resource)).flatMap(([name, column]) =>
    (["asc", "desc"] as const).flatMap((direction) => {
      const sort = `${name}:${direction}`
      const places = placesIn(resource, { column, direction }, tables)
      return [
        { what: `sort=${sort}`, queries: [queryString({ sort })] },
        { what: `sort=${sort}&cursor=…`, queries: places.map((cursor) => queryString({ sort, cursor })) }
      ]
    })
  )

/** The uses of each filter with the values of several rows. `range` gives those of ranges. */
const usesByRow = (
  resource: Resource,
  tables: Tables,
  range: { readonly before: string; readonly beginning: (value: string) => string }
): ReadonlyArray<ReadonlyArray<Query>> =>
  Array.from({ length: asked }, (_, n) => {
    const valueIn = ({ by, column, resource: type }: Sought): string => {
      const value = String(tables.rows.get(type)?.[n]?.[column] ?? "")
      return by === "before" ? range.before : by === "words" ? range.beginning(value) : value
    }
    // The rows are about people without a unit.
    return usesOf(resource, valueIn).flatMap(({ query }) => ("unit" in query ? [] : [query]))
  })

/** A list with a total, counted up to a limit, and the same page without it. */
export const totalQuestion: Question = { what: "includeTotal=true", queries: [queryString({ includeTotal: "true" })] }
export const plainQuestion: Question = { what: "", queries: [queryString({})] }

/** The parameters of one use. A value is shown if it is the same for all rows. */
const nameOf = (queries: ReadonlyArray<Query>): string =>
  Object.entries(queries[0] ?? {})
    .map(([name, value]) => `${name}=${queries.every((query) => query[name] === value) ? value : "…"}`)
    .join("&")

/** Each filter, from the beginning and from a cursor. Ranges match the same number of rows in every store. */
export const filterQuestions = (resource: Resource, tables: Tables): ReadonlyArray<Question> => {
  const byCreation = { column: "created_at", direction: "asc" } as const
  const places = placesIn(resource, byCreation, tables)
  const byRow = usesByRow(resource, tables, { before: dateAfterFew, beginning: beginningOfFew })
  return (byRow[0] ?? []).flatMap((_, use) => {
    const queries = byRow.flatMap((uses) => uses.slice(use, use + 1))
    const what = nameOf(queries)
    return [
      { what, queries: queries.map(queryString) },
      { what: `${what}&cursor=…`, queries: places.map((cursor, n) => queryString({ ...queries[n], cursor })) }
    ]
  })
}

/** Ranges with many rows, and common values in an order other than that of creation. */
export const wideQuestions = (resource: Resource, tables: Tables): ReadonlyArray<Question> => {
  const byRow = usesByRow(resource, tables, { before: dateAfterAll, beginning: (value) => value.slice(0, 2) })
  const [sort = "updatedAt"] = Object.keys(resource.sorts)
  return (byRow[0] ?? []).map((_, use) => {
    const queries = byRow.flatMap((uses) => uses.slice(use, use + 1))
    return { what: `${nameOf(queries)}&sort=${sort}`, queries: queries.map((query) => queryString({ ...query, sort })) }
  })
}
