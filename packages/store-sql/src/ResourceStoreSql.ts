import type { JsonObject } from "@wcs/domain/Json"
import type { Resource, Stored } from "@wcs/domain/Resource"
import { type Basis, type Change, type Reference, ResourceStore } from "@wcs/domain/ResourceStore"
import { Effect, Layer, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import { atomically, LostRace } from "./Atomic.ts"
import { dialectOf } from "./Dialect.ts"
import { makeListStatements } from "./ResourceList.ts"
import { type ResourceRow, tableOf } from "./ResourceTable.ts"
import { makeTrailWriter } from "./TrailWriter.ts"

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const dialect = dialectOf(sql)
  const listStatements = makeListStatements(sql, dialect)
  const trail = makeTrailWriter(sql)

  const read = <Fields extends JsonObject>(
    resource: Resource<Fields>,
    tenantId: string,
    id: string,
    lock = sql.literal("")
  ) => {
    const table = tableOf(resource)
    return Effect.map(
      sql<ResourceRow>`SELECT ${sql.literal(table.selected)} FROM ${sql.literal(table.name)} AS r
        WHERE r.tenant_id = ${tenantId} AND r.id = ${id}${lock}`,
      ([row]) => (row === undefined ? Option.none<Stored<Fields>>() : Option.some(table.decode(row)))
    )
  }

  /** Writes one row if it is still what was read; one that is not loses the race. */
  const write = Effect.fnUntraced(function* <Fields extends JsonObject>(
    resource: Resource<Fields>,
    tenantId: string,
    current: Option.Option<Stored<Fields>>,
    next: Stored<Fields>
  ) {
    const table = tableOf(resource)
    const version = Option.match(current, { onNone: () => 0, onSome: (before) => before.version })
    if (next.version !== version + 1) {
      return yield* Effect.die(new Error(`${next.id} has version ${next.version}, due is ${version + 1}`))
    }
    const written = yield* Option.match(current, {
      onNone: () =>
        sql`INSERT INTO ${sql.literal(table.name)} ${sql.insert(table.inserted(tenantId, next))}
          ON CONFLICT (tenant_id, id) DO NOTHING RETURNING id`,
      onSome: (before) =>
        sql`UPDATE ${sql.literal(table.name)} SET ${sql.update(table.updated(before, next))}
          WHERE tenant_id = ${tenantId} AND id = ${next.id} AND version = ${version} RETURNING id`
    })
    if (written.length === 0) return yield* new LostRace()
  })

  const changeOnce = Effect.fnUntraced(function* <Fields extends JsonObject, E, Decided extends Change<Fields>>(
    resource: Resource<Fields>,
    tenantId: string,
    id: string,
    references: ReadonlyArray<Reference>,
    decide: (basis: Basis<Fields>) => Result.Result<Decided, E>
  ) {
    const current = yield* read(resource, tenantId, id, dialect.forUpdate)
    const basis = {
      current,
      references: yield* Effect.forEach(references, (reference) =>
        read(reference.resource, tenantId, reference.id, dialect.forShare)
      )
    }
    const decision = decide(basis)
    // Where nothing was written, nothing is to be undone either.
    if (Result.isFailure(decision) || decision.success._tag === "Unchanged") return decision
    const { next, trail: entries } = decision.success
    yield* write(resource, tenantId, current, next)
    yield* trail.audit(tenantId, entries.audit)
    yield* trail.events(tenantId, entries.events, () => next.version)
    return decision
  })

  return ResourceStore.of({
    find: (resource, tenantId, id) => Effect.orDie(read(resource, tenantId, id)),

    list: Effect.fnUntraced(function* (resource, tenantId, selection) {
      const { conditions, includeTotal, pageSize } = selection
      if (conditions === undefined) return { items: [], hasMore: false, total: includeTotal ? 0 : undefined }
      const statements = listStatements(resource, tenantId, conditions, selection)
      const rows = yield* Effect.orDie(statements.page)
      const counted = includeTotal ? yield* Effect.orDie(statements.total) : undefined
      return {
        items: rows.slice(0, pageSize).map(tableOf(resource).decode),
        hasMore: rows.length > pageSize,
        total: counted === undefined ? undefined : Number(counted[0]?.total)
      }
    }),

    change: (resource, tenantId, id, references, decide) =>
      Effect.flatMap(atomically(sql, changeOnce(resource, tenantId, id, references, decide)), Effect.fromResult)
  })
})

export const layer: Layer.Layer<ResourceStore, never, SqlClient.SqlClient> = Layer.effect(ResourceStore, make)
