import type { JsonObject } from "@wcs/domain/Json"
import type { Cursor, Selection } from "@wcs/domain/ListQuery"
import type { Resource, Stored } from "@wcs/domain/Resource"
import { type Basis, type Change, type Reference, ResourceStore } from "@wcs/domain/ResourceStore"
import { Effect, Layer, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import { atomically, LostRace } from "./Atomic.ts"
import { dialectOf } from "./Dialect.ts"
import { ListReach, type ListStatements, makeListStatements } from "./ResourceList.ts"
import { makeRead, makeWrite, storedOf } from "./ResourceRows.ts"
import { type ResourceRow, tableOf } from "./ResourceTable.ts"
import { rows, type Script } from "./Script.ts"
import { makeTrailWriter } from "./TrailWriter.ts"

/**
 * The rows of a page and one more, if there is one. What many rows share is found sooner by reading in the list's order
 * than by sorting all of it. That goes on in stretches of some thousand rows until the page is full: between them others
 * have their turn, whom one long read would hold up.
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
  const dialect = dialectOf(sql)
  const listStatements = makeListStatements(sql, dialect, yield* ListReach)
  const trail = makeTrailWriter(sql)
  const read = makeRead(sql, sql.literal(""))
  const readForUpdate = makeRead(sql, dialect.forUpdate)
  const readForShare = makeRead(sql, dialect.forShare)
  const write = makeWrite(sql)

  function* change<Fields extends JsonObject, E, Decided extends Change<Fields>>(
    resource: Resource<Fields>,
    tenantId: string,
    id: string,
    references: ReadonlyArray<Reference>,
    decide: (basis: Basis<Fields>) => Result.Result<Decided, E>
  ): Script<Result.Result<Decided, E | LostRace>> {
    const current = storedOf(resource)(yield* rows(readForUpdate(resource, tenantId, id)))
    const found: Array<Option.Option<Stored>> = []
    for (const reference of references) {
      found.push(storedOf(reference.resource)(yield* rows(readForShare(reference.resource, tenantId, reference.id))))
    }
    const decision = decide({ current, references: found })
    if (Result.isFailure(decision) || decision.success._tag === "Unchanged") return decision
    const { next, subscribesTo, trail: entries } = decision.success
    const version = Option.match(current, { onNone: () => 0, onSome: (before) => before.version })
    if (next.version !== version + 1) {
      throw new Error(`${next.id} has version ${next.version}, due is ${version + 1}`)
    }
    if (!(yield* write(resource, tenantId, current, next))) return Result.fail(new LostRace())
    if (subscribesTo !== undefined) yield* trail.subscription(tenantId, next.id, subscribesTo)
    yield* trail.all(tenantId, entries, () => next.version)
    return decision
  }

  return ResourceStore.of({
    find: (resource, tenantId, id) => Effect.orDie(Effect.map(read(resource, tenantId, id), storedOf(resource))),

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

    change: (resource, tenantId, id, references, decide) =>
      atomically(sql, () => change(resource, tenantId, id, references, decide))
  })
})

export const layer: Layer.Layer<ResourceStore, never, SqlClient.SqlClient> = Layer.effect(ResourceStore, make)
