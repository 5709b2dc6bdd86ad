import { type Selection, totalLimit } from "@wcs/domain/resource/ListQuery"
import type { Resource } from "@wcs/domain/resource/Resource"
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { ReadLimits } from "../engine/BoundedReads.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { makeBoundedList } from "./BoundedList.ts"
import { type Listed, makeListParts } from "./ListParts.ts"
import { makePlannedList } from "./PlannedList.ts"
import { isOfFew, type Wanted } from "./ResourceCondition.ts"
import { makeSearch } from "./SearchRows.ts"

/**
 * Reads lists. A search first finds the ids of the matches. If these are few, they are sorted in memory. Otherwise the
 * rows are read in the order of the list until the page is full.
 */
export const makeList = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const dialect = dialectOf(sql)
  const { asked, list } = dialect.blocks ? yield* makeBoundedList : makePlannedList(sql)
  const { few } = yield* ReadLimits
  const { testsOf } = makeListParts(sql, dialect, few)
  const search = yield* makeSearch

  return Effect.fnUntraced(function* (
    resource: Resource,
    tenantId: string,
    conditions: ReadonlyArray<Wanted>,
    selection: Selection
  ): Effect.fn.Return<Listed, SqlError.SqlError> {
    const words = conditions.find((condition) => condition._tag === "Words")
    const plain = asked(resource, tenantId, conditions, selection)
    if (words === undefined || conditions.some((condition) => isOfFew(resource, condition))) return yield* list(plain)
    const most = selection.includeTotal ? totalLimit : few + 1
    const rows = { table: resource.type, kind: resource.type }
    const ids = yield* search(rows, tenantId, words.sought, testsOf(plain, plain.conditions), Math.max(most, few + 1))
    const wanted: ReadonlyArray<Wanted> = ids.length > few ? conditions : [{ _tag: "Ids", ids }, ...conditions]
    const page = yield* list(asked(resource, tenantId, wanted, { ...selection, includeTotal: false }))
    return { ...page, total: selection.includeTotal ? Math.min(ids.length, totalLimit) : undefined }
  })
})
