import { assert, describe } from "@effect/vitest"
import { type Page, ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { belongings } from "@wcs/domain/people/Oversight"
import { Worker } from "@wcs/domain/people/Worker"
import { type Cursor, cursorAfter, parse, type Query, type Selection } from "@wcs/domain/resource/ListQuery"
import { columnValue, type Resource, wordsOf } from "@wcs/domain/resource/Resource"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { Effect, Result } from "effect"
import fc from "fast-check"
import {
  created,
  freshTenant,
  listIds,
  mint,
  put,
  putAll,
  remove,
  select,
  type TenantTest,
  workerFields
} from "../Fixtures.ts"
import { check } from "../Property.ts"
import { definitions } from "./Definitions.ts"
import { type Sought, sortsOf, usesOf } from "./FilterUses.ts"
import { listOf, type Table } from "./ListModel.ts"
import { rowsOf } from "./RandomRows.ts"

/** The day for which expiry is computed. */
const today = "2026-01-31"

/** The kinds of people that a resource is about, besides itself. */
const ownersOf = ({ type }: Resource): ReadonlyArray<string> => {
  const belonging = belongings[type]
  return belonging._tag === "Held" ? belonging.by : []
}

/** Rows of a resource and of those that its lists look up. */
const tablesOf = (resource: Resource): fc.Arbitrary<ReadonlyArray<Table>> => {
  const looked = Object.values(resource.filters).flatMap((filter) =>
    filter.by === "holder"
      ? filter.holders.map((holder) => holder.resource)
      : filter.by === "unit"
        ? ["unit", ...ownersOf(resource)]
        : []
  )
  const stored = definitions.filter((each) => each === resource || looked.includes(each.type))
  return fc.tuple(...stored.map((each) => rowsOf(each, 8).map((rows) => ({ resource: each, rows }))))
}

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
    return table === undefined ? "" : columnValue(table.resource, column, fields)
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

/** Pages through a list of the store and compares each page with the model's. Returns the number of rows. */
const compare = Effect.fnUntraced(function* <Fields extends JsonObject>(
  resource: Resource<Fields>,
  tenant: string,
  tables: ReadonlyArray<Table>,
  selection: Selection,
  text: string
) {
  const tested = yield* ResourceStore
  let after: Cursor | undefined = selection.after
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

/** A cursor beside the nth row, as one whose row has changed or gone. */
const besideRow = (resource: Resource, tables: ReadonlyArray<Table>, { sort }: Selection, n: number): Cursor => {
  const rows = tables.find((table) => table.resource === resource)?.rows ?? []
  const { id, key } = cursorAfter(resource, sort, rows[n % rows.length] ?? assert.fail("there is no row"))
  const beside = n % 2 === 0 ? id.slice(0, -1) : `${id}~`
  return sort.column === "id" ? { key: beside, id: beside } : { key, id: beside }
}

/** Directions, page sizes and totals. */
const pagings: ReadonlyArray<readonly [direction: string, paging: Query]> = [
  ["asc", { pageSize: "5", includeTotal: "true" }],
  ["desc", { pageSize: "3", includeTotal: "true" }],
  ["asc", { pageSize: "4", page: "2", includeTotal: "true" }],
  ["desc", { pageSize: "7" }]
]

/** Every query in every order. The pagings take turns, so that every query and every order meets each. */
const compareAll = Effect.fnUntraced(function* (resource: Resource, tables: ReadonlyArray<Table>) {
  const tenant = freshTenant()
  yield* Effect.forEach(tables, (table) => putAll(table.resource, tenant, table.rows), { discard: true })
  let met = 0
  for (const [turn, query] of queriesOf(resource, tables).entries()) {
    for (const [place, sort] of Object.keys(sortsOf(resource)).entries()) {
      const [direction, paging] = pagings[(turn + place) % pagings.length] ?? assert.fail()
      const all = { ...query, ...paging, sort: `${sort}:${direction}` }
      const selection = Result.getOrThrow(parse(resource, all, today))
      met += yield* compare(resource, tenant, tables, selection, JSON.stringify(all))
      const after = besideRow(resource, tables, selection, turn + place)
      yield* compare(resource, tenant, tables, { ...selection, after }, `${JSON.stringify(all)} ${after.id}`)
    }
  }
  assert.isAbove(met, 20)
  yield* compare(resource, tenant, tables, select({ conditions: undefined, includeTotal: true }), "nothing can match")
})

const exampleTests = (it: TenantTest): void => {
  it("searches the words of the present names", function* (tenant) {
    const named = (displayName: string) => workerFields({ identity: { displayName } })
    const row = yield* put(Worker, tenant, created(mint("worker"), named("Ann Old")))
    const store = yield* ResourceStore
    yield* store.change(Worker, tenant, row.id, [], () =>
      Result.succeed({
        _tag: "Changed" as const,
        next: { ...row, version: 2, fields: named("Ann New") },
        records: { audit: [], events: [] }
      })
    )
    const found = (query: string, includeDeleted = "false") =>
      listIds(Worker, tenant, Result.getOrThrow(parse(Worker, { query, includeDeleted }, today)))
    assert.deepStrictEqual(yield* found("old"), [])
    assert.deepStrictEqual(yield* found("ann"), [row.id])
    assert.deepStrictEqual(yield* found("new"), [row.id])
    yield* remove(Worker, tenant, row.id)
    assert.deepStrictEqual(yield* found("new"), [])
    assert.deepStrictEqual(yield* found("new", "true"), [row.id])
  })
}

/** Compares the lists of resources with a model, for random rows. */
export const resourceListModelSuite = (it: TenantTest, resources: ReadonlyArray<Resource> = definitions): void => {
  for (const resource of resources) {
    it(`CRD-06, CRD-07, WRK-05, WRK-06, WRK-07, WRK-08, WRK-09, WRK-16: lists of ${resource.collection} equal the model's, page by page`, function* () {
      yield* check(tablesOf(resource), (tables) => compareAll(resource, tables), { numRuns: 1, endOnFailure: true })
    })
  }
}

/** Tests `ResourceStore.list`. */
export const resourceListSuite = (it: TenantTest): void => {
  describe("ResourceStore.list", () => {
    exampleTests(it)
    resourceListModelSuite(it)
  })
}
