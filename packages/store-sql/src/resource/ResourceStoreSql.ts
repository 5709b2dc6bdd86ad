import type { Cursor, Selection } from "@wcs/domain/resource/ListQuery"
import { ResourceStore } from "@wcs/domain/resource/ResourceStore"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { makeAtomically } from "../engine/Atomic.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { makeReader } from "../engine/ReadSync.ts"
import { makeHeldByEach } from "./HoldingsRows.ts"
import { makeChange } from "./ResourceChange.ts"
import { ListReach, type ListStatements, makeListStatements } from "./ResourceList.ts"
import { makeFind, makeReadAll } from "./ResourceRows.ts"
import { type ResourceRow, tableOf } from "./ResourceTable.ts"

/**
 * The rows of a page and one more, if there is one. If many rows match, reading in list order beats sorting all of
 * them. It reads in chunks of some thousand rows, so that other requests run in between.
 */
const readPage = Effect.fnUntraced(function* (
  { page, walk }: ListStatements,
  { after: beginning, offset, pageSize }: Selection
) {
  if (walk === undefined || (yield* walk.crowd).length === 0) return yield* page
  const wanted = offset + pageSize + 1
  const met: Array<ResourceRow> = []
  let after = beginning
  do {
    const [end]: ReadonlyArray<Cursor | undefined> = yield* walk.endOf(after)
    met.push(...(yield* walk.matching(after, end, wanted - met.length)))
    after = end
    yield* Effect.yieldNow
  } while (after !== undefined && met.length < wanted)
  return met.slice(offset)
})

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const atomically = yield* makeAtomically
  const dialect = dialectOf(sql)
  const listStatements = makeListStatements(sql, dialect, yield* ListReach)
  const find = makeFind(sql, yield* makeReader)
  const readAll = makeReadAll(sql, dialect)
  const heldByEach = makeHeldByEach(sql)
  const change = makeChange(sql)

  return ResourceStore.of({
    find: (resource, tenantId, id) =>
      Effect.map(
        find(resource, tenantId, id),
        Option.map((found) => found.stored())
      ),

    findText: find,

    findAll: Effect.fnUntraced(function* (resource, tenantId, ids) {
      const found = yield* Effect.orDie(readAll(resource, tenantId, ids))
      return new Map(found.map((row) => [row.id, tableOf(resource).decode(row)]))
    }),

    heldByEach: (resource, tenantId, workers, limit) => Effect.orDie(heldByEach(resource, tenantId, workers, limit)),

    list: Effect.fnUntraced(function* (resource, tenantId, selection) {
      const { conditions, includeTotal, pageSize } = selection
      if (conditions === undefined) return { items: [], hasMore: false, total: includeTotal ? 0 : undefined }
      const statements = listStatements(resource, tenantId, conditions, selection)
      const found = yield* Effect.orDie(readPage(statements, selection))
      const counted = includeTotal ? yield* Effect.orDie(statements.total) : undefined
      return {
        items: found.slice(0, pageSize).map(tableOf(resource).decode),
        hasMore: found.length > pageSize,
        total: counted === undefined ? undefined : Number(counted[0]?.total)
      }
    }),

    change: (resource, tenantId, id, references, decide, holdingsOf) =>
      atomically(() => change(resource, tenantId, id, references, decide, holdingsOf))
  })
})

export const layer: Layer.Layer<ResourceStore, never, SqlClient.SqlClient> = Layer.effect(ResourceStore, make)
