import { assert, describe } from "@effect/vitest"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Worker } from "@wcs/domain/people/Worker"
import { cursorAfter, type Selection, type Sort } from "@wcs/domain/resource/ListQuery"
import { columnValue, type Resource, type Stored } from "@wcs/domain/resource/Resource"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { Effect } from "effect"
import fc from "fast-check"
import {
  created,
  digits,
  find,
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
import { sortsOf } from "./FilterUses.ts"
import { rowsOf } from "./RandomRows.ts"

/** Every order of the resource's lists. */
const ordersOf = (resource: Resource): ReadonlyArray<Sort> =>
  Object.values(sortsOf(resource)).flatMap((column) => [
    { column, direction: "asc" },
    { column, direction: "desc" }
  ])

const codePoints = (text: string): ReadonlyArray<number> =>
  Array.from(text, (character) => character.codePointAt(0) ?? 0)

/** Compares number by number. A prefix comes before the longer one. */
const compare = (one: ReadonlyArray<number>, two: ReadonlyArray<number>): number => {
  const differing = one.findIndex((value, index) => value !== two[index])
  return differing === -1 ? one.length - two.length : (one[differing] ?? 0) - (two[differing] ?? -1)
}

/** The expected order: sort key, then id, both as numbers, reversed for `desc`. */
const sorted = <Fields extends JsonObject>(
  resource: Resource<Fields>,
  { column, direction }: Sort,
  rows: ReadonlyArray<Stored<Fields>>
): ReadonlyArray<string> => {
  const keyOf = (row: Stored<Fields>): ReadonlyArray<number> => {
    if (column === "created_at") return [row.createdAt]
    if (column === "updated_at") return [row.updatedAt]
    return codePoints(column === "id" ? row.id : columnValue(resource, column, row.fields))
  }
  const ascending = rows.toSorted(
    (one, two) => compare(keyOf(one), keyOf(two)) || compare(codePoints(one.id), codePoints(two.id))
  )
  return (direction === "asc" ? ascending : ascending.toReversed()).map(({ id }) => id)
}

/** All matches of a selection, page by page by cursor. */
const walk = Effect.fnUntraced(function* <Fields extends JsonObject>(
  resource: Resource<Fields>,
  tenant: string,
  selection: Selection
) {
  const store = yield* ResourceStore
  const ids: Array<string> = []
  let after: Selection["after"]
  for (;;) {
    const { hasMore, items } = yield* store.list(resource, tenant, { ...selection, after })
    ids.push(...items.map(({ id }) => id))
    const last = items.at(-1)
    if (!hasMore || last === undefined) return ids
    assert.strictEqual(items.length, selection.pageSize, "a page before the last is full")
    after = cursorAfter(resource, selection.sort, last)
  }
})

/** All matches of a selection, page by page by offset. */
const leaf = Effect.fnUntraced(function* <Fields extends JsonObject>(
  resource: Resource<Fields>,
  tenant: string,
  selection: Selection
) {
  const store = yield* ResourceStore
  const ids: Array<string> = []
  for (;;) {
    const { hasMore, items } = yield* store.list(resource, tenant, { ...selection, offset: ids.length })
    ids.push(...items.map(({ id }) => id))
    if (!hasMore) return ids
    assert.strictEqual(items.length, selection.pageSize, "a page before the last is full")
  }
})

/** For any rows: each order is right, and paging with any page size returns each row once. */
const pagesProperty = Effect.fnUntraced(function* <Fields extends JsonObject>(resource: Resource<Fields>) {
  const cases = fc.record({
    rows: rowsOf(resource),
    pageSize: fc.integer({ min: 1, max: 6 }),
    includeDeleted: fc.boolean()
  })
  yield* check(
    cases,
    Effect.fnUntraced(function* ({ includeDeleted, pageSize, rows }) {
      const tenant = freshTenant()
      yield* putAll(resource, tenant, rows)
      const visible = rows.filter(({ deletedAt }) => deletedAt === null || includeDeleted)
      for (const sort of ordersOf(resource)) {
        const selection = select({ sort, includeDeleted })
        const expected = sorted(resource, sort, visible)
        const label = `${sort.column} ${sort.direction}`
        assert.deepStrictEqual(yield* listIds(resource, tenant, selection), expected, label)
        assert.deepStrictEqual(yield* walk(resource, tenant, { ...selection, pageSize }), expected, label)
        assert.deepStrictEqual(yield* leaf(resource, tenant, { ...selection, pageSize }), expected, label)
      }
      for (const row of rows) assert.deepStrictEqual(yield* find(resource, tenant, row.id), row)
    }),
    { numRuns: 20 }
  )
})

const propertyTests = (it: TenantTest): void => {
  for (const resource of definitions) {
    it(`WRK-08, WRK-09: orders ${resource.collection} by every column, and pages lose and repeat none`, function* () {
      yield* pagesProperty(resource)
    })
  }
}

const cursorTests = (it: TenantTest): void => {
  it("continues after a cursor whose row has changed or gone", function* (tenant) {
    const store = yield* ResourceStore
    const named = (displayName: string) => workerFields({ identity: { displayName } })
    const rows = ["a", "b", "c", "d"].map((name) => created(mint("worker"), named(name)))
    yield* putAll(Worker, tenant, rows)
    const sort: Sort = { column: "display_name", direction: "asc" }
    const first = yield* store.list(Worker, tenant, select({ sort, pageSize: 2 }))
    const after = cursorAfter(Worker, sort, first.items[1] ?? assert.fail("the page is short"))
    yield* remove(Worker, tenant, first.items[1]?.id ?? "")
    yield* put(Worker, tenant, created(mint("worker"), named("a")))
    const between = yield* put(Worker, tenant, created(mint("worker"), named("bb")))
    const rest = yield* listIds(Worker, tenant, { sort, after })
    assert.deepStrictEqual(rest, [between.id, rows[2]?.id, rows[3]?.id])
  })

  it("accepts a cursor without a row, in both directions", function* (tenant) {
    const source = (externalId: string) => workerFields({ source: { externalId } })
    const rows = ["x", "y", "y", "z"].map((externalId) => created(mint("worker"), source(externalId)))
    yield* putAll(Worker, tenant, rows)
    const [x, one, two, z] = rows.map(({ id }) => id)
    const rest = (direction: Sort["direction"], key: string, id: string) =>
      listIds(Worker, tenant, { sort: { column: "external_id", direction }, after: { key, id } })
    assert.deepStrictEqual(yield* rest("asc", "y", ""), [one, two, z])
    assert.deepStrictEqual(yield* rest("asc", "y", "~"), [z])
    assert.deepStrictEqual(yield* rest("desc", "y", "~"), [two, one, x])
    assert.deepStrictEqual(yield* rest("desc", "y", two ?? ""), [one, x])
    assert.deepStrictEqual(yield* rest("asc", "'; --", digits()), [x, one, two, z])
  })
}

/** Tests the order and the pages of `ResourceStore.list`. */
export const resourcePageSuite = (it: TenantTest): void => {
  describe("ResourceStore.list: order and pages", () => {
    propertyTests(it)
    cursorTests(it)
  })
}
