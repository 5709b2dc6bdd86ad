import { assert, layer } from "@effect/vitest"
import { type Page, ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { type Cursor, cursorAfter, parse, type Query, type Selection } from "@wcs/domain/resource/ListQuery"
import { columnValue, type Resource, wordsOf } from "@wcs/domain/resource/Resource"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { StretchLimits } from "@wcs/store-sql/engine/Stretches"
import { freshTenant, put } from "@wcs/store-suite/Fixtures"
import { check } from "@wcs/store-suite/Property"
import { definitions } from "@wcs/store-suite/resource/Definitions"
import { type Sought, sortsOf, usesOf } from "@wcs/store-suite/resource/FilterUses"
import { listOf, type Table } from "@wcs/store-suite/resource/ListModel"
import { rowsOf } from "@wcs/store-suite/resource/RandomRows"
import { Effect, Layer, References, Result } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import { postgresStore } from "./engines.ts"
import { store } from "./temporary.ts"

const today = "2026-01-31"

/** Rows of a resource and of those that its lists look up. */
const tablesOf = (resource: Resource): fc.Arbitrary<ReadonlyArray<Table>> => {
  const looked = Object.values(resource.filters).flatMap((filter) =>
    filter.by === "holder" ? filter.holders.map((holder) => holder.resource) : []
  )
  const stored = definitions.filter((each) => each === resource || looked.includes(each.type))
  return fc.tuple(...stored.map((each) => rowsOf(each, 8).map((rows) => ({ resource: each, rows }))))
}

/** Writes the rows of the model to the store. */
const fill = Effect.fnUntraced(function* (tenant: string, tables: ReadonlyArray<Table>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(
    Effect.forEach(tables, ({ resource, rows }) => Effect.forEach(rows, (row) => put(resource, tenant, row)))
  )
})

const common: ReadonlyArray<Query> = [
  {},
  { includeDeleted: "true" },
  { updatedAfter: "2026-01-31T09:30:00Z" },
  { updatedBefore: "2026-01-31T09:30:00.002Z", updatedAfter: "2026-01-31T09:30:00Z" }
]

/** A search that finds a row: beginnings of one or two of its words, or the words in one, or with a hyphen. */
const searchFor = (words: ReadonlyArray<string>, n: number): string => {
  const [one = "a", two = "b"] = [words[n % Math.max(1, words.length)], words[(n + 1) % Math.max(1, words.length)]]
  const beginning = Array.from(one)[0] ?? ""
  return [beginning, `${one} ${Array.from(two)[0]}`, `${two}-${one}`, one.toUpperCase()][n % 4] ?? beginning
}

/** The nth row's value to search for. */
const valueIn =
  (tables: ReadonlyArray<Table>, n: number) =>
  ({ by, column, resource }: Sought): string => {
    const table = tables.find(({ resource: { type } }) => type === resource)
    const fields = table?.rows[n % table.rows.length]?.fields ?? {}
    if (by === "words") return searchFor(table === undefined ? [] : wordsOf(table.resource, fields), n)
    const value = table === undefined ? "" : columnValue(table.resource, column, fields)
    return value
  }

/** Each use of each filter alone, and several together. */
const queriesOf = (resource: Resource, tables: ReadonlyArray<Table>): ReadonlyArray<Query> => {
  const rowwise = Array.from({ length: 8 }, (_, n) => usesOf(resource, valueIn(tables, n)).map(({ query }) => query))
  const pairs = rowwise.flatMap((queries, n) => [
    { ...queries[n % queries.length], ...queries[(n + 1) % queries.length] }
  ])
  const all = [...common, ...rowwise.flat(), ...pairs]
  return [...new Map(all.map((query) => [JSON.stringify(query), query])).values()]
}

/** Pages through a list of the store and compares each page with the model's. */
const compare = Effect.fnUntraced(function* <Fields extends JsonObject>(
  resource: Resource<Fields>,
  tenant: string,
  tables: ReadonlyArray<Table>,
  selection: Selection,
  text: string
) {
  const tested = yield* ResourceStore
  let after: Cursor | undefined
  let met = 0
  for (;;) {
    const page: Page<Fields> = yield* tested.list(resource, tenant, { ...selection, after })
    assert.deepStrictEqual(page, listOf(tables, resource, { ...selection, after }), text)
    met += page.items.length
    const last = page.items.at(-1)
    if (!page.hasMore || last === undefined) return met
    after = cursorAfter(resource, selection.sort, last)
  }
})

/** Directions and page sizes. */
const pagings: ReadonlyArray<readonly [direction: string, paging: Query]> = [
  ["asc", { pageSize: "5" }],
  ["desc", { pageSize: "3" }],
  ["asc", { pageSize: "4", page: "2" }]
]

/** Every query in every order. The pagings take turns, so that every query and every order meets each. */
const compareAll = Effect.fnUntraced(function* (resource: Resource, tables: ReadonlyArray<Table>) {
  const tenant = freshTenant()
  yield* fill(tenant, tables)
  let met = 0
  for (const [turn, query] of queriesOf(resource, tables).entries()) {
    for (const [place, sort] of Object.keys(sortsOf(resource)).entries()) {
      const [direction, paging] = pagings[(turn + place) % pagings.length] ?? assert.fail()
      const all = { ...query, ...paging, sort: `${sort}:${direction}`, includeTotal: "true" }
      const selection = Result.getOrThrow(parse(resource, all, today))
      met += yield* compare(resource, tenant, tables, selection, JSON.stringify(all))
    }
  }
  assert.isAbove(met, 30)
})

type Tested = ResourceStore | SqlClient.SqlClient

/** Without a tracer, for which reads would have no limit of characters. */
const reaching = (reach: (typeof StretchLimits)["Service"]) =>
  Layer.merge(store, Layer.succeed(References.TracerEnabled, false)).pipe(
    Layer.provide(Layer.succeed(StretchLimits, reach))
  )

for (const [way, stores, numRuns] of [
  ["sorted", reaching({ few: 1_000, examined: 1_000, characters: 1_000_000, decoded: 1 }), 2],
  ["sorted, and fetched one by one", reaching({ few: 1_000, examined: 3, characters: 1, decoded: 1 }), 2],
  ["read in short stretches", reaching({ few: 1, examined: 2, characters: 1_000_000, decoded: 1 }), 2],
  ["read one by one", reaching({ few: 1, examined: 3, characters: 1, decoded: 1 }), 2],
  ["read in one stretch", reaching({ few: 1, examined: 1_000, characters: 1_000_000, decoded: 1 }), 2],
  ["left to Postgres", postgresStore, 1]
] as const) {
  layer<Tested, unknown>(stores, { excludeTestServices: true })(
    `lists equal the model's, row by row, with many matches ${way}`,
    (it) => {
      for (const resource of definitions) {
        it.effect(`CRD-06, CRD-07, WRK-05, WRK-06, WRK-07, WRK-09, WRK-16: of ${resource.collection}`, () =>
          check(tablesOf(resource), (tables) => compareAll(resource, tables), { numRuns })
        )
      }
    }
  )
}
