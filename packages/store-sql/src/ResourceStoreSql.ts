import type { JsonObject } from "@wcs/domain/Json"
import type { Cursor, Selection } from "@wcs/domain/ListQuery"
import type { Resource, Stored } from "@wcs/domain/Resource"
import { type Basis, type Change, type Reference, ResourceStore } from "@wcs/domain/ResourceStore"
import { Effect, Layer, Option, Result } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { atomically, LostRace } from "./Atomic.ts"
import { dialectOf } from "./Dialect.ts"
import { keep, type Query } from "./Query.ts"
import { ListReach, type ListStatements, makeListStatements } from "./ResourceList.ts"
import { type ResourceRow, tableOf } from "./ResourceTable.ts"
import { changes, rows, type Script } from "./Script.ts"
import { makeTrailWriter } from "./TrailWriter.ts"

/** Reads a resource by its id; `lock` is what the SELECT ends with. */
const makeRead = (sql: SqlClient.SqlClient, lock: Statement.Fragment) => {
  const kept = new WeakMap<object, Query<{ tenantId: string; id: string }, ResourceRow>>()
  const queryOf = (resource: Resource) => {
    const known = kept.get(resource)
    if (known !== undefined) return known
    const table = tableOf(resource)
    const query = keep<{ tenantId: string; id: string }, ResourceRow>(
      sql,
      (at) => sql`SELECT ${sql.literal(table.selected)} FROM ${sql.literal(table.name)} AS r
        WHERE r.tenant_id = ${at("tenantId")} AND r.id = ${at("id")}${lock}`
    )
    kept.set(resource, query)
    return query
  }
  return (resource: Resource, tenantId: string, id: string) => queryOf(resource)({ tenantId, id })
}

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

const storedOf =
  <Fields extends JsonObject>(resource: Resource<Fields>) =>
  ([row]: ReadonlyArray<ResourceRow>): Option.Option<Stored<Fields>> =>
    row === undefined ? Option.none() : Option.some(tableOf(resource).decode(row))

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const dialect = dialectOf(sql)
  const listStatements = makeListStatements(sql, dialect, yield* ListReach)
  const trail = makeTrailWriter(sql)
  const read = makeRead(sql, sql.literal(""))
  const readForUpdate = makeRead(sql, dialect.forUpdate)
  const readForShare = makeRead(sql, dialect.forShare)

  /** Writes one row if it is still what was read, and says whether it was. */
  function* write<Fields extends JsonObject>(
    resource: Resource<Fields>,
    tenantId: string,
    current: Option.Option<Stored<Fields>>,
    next: Stored<Fields>
  ): Script<boolean> {
    const table = tableOf(resource)
    const version = Option.match(current, { onNone: () => 0, onSome: (before) => before.version })
    if (next.version !== version + 1) {
      throw new Error(`${next.id} has version ${next.version}, due is ${version + 1}`)
    }
    const statement = Option.match(current, {
      onNone: () =>
        sql`INSERT INTO ${sql.literal(table.name)} ${sql.insert(table.inserted(tenantId, next))}
          ON CONFLICT (tenant_id, id) DO NOTHING`,
      onSome: (before) =>
        sql`UPDATE ${sql.literal(table.name)} SET ${sql.update(table.updated(before, next))}
          WHERE tenant_id = ${tenantId} AND id = ${next.id} AND version = ${version}`
    })
    return (yield* changes(statement)) > 0
  }

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
    if (!(yield* write(resource, tenantId, current, next))) return Result.fail(new LostRace())
    if (subscribesTo !== undefined) yield* trail.subscription(tenantId, next.id, subscribesTo)
    yield* trail.audit(tenantId, entries.audit)
    yield* trail.events(tenantId, entries.events, () => next.version)
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
