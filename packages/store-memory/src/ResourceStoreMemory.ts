import {
  type Basis,
  type Change,
  foundOf,
  type HoldingsOf,
  type Page,
  type Reference,
  ResourceStore
} from "@wcs/domain/crud/ResourceStore"
import { noHoldings } from "@wcs/domain/holding/Holdings"
import { cursorAfter, type Selection, totalLimit } from "@wcs/domain/resource/ListQuery"
import type { Resource, Stored } from "@wcs/domain/resource/Resource"
import { isVisible } from "@wcs/domain/resource/SoftDelete"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { Effect, Layer, Option, Result } from "effect"
import { MemoryTables, openOf, rowOf, type TenantTables, tableOf, writeRecords } from "./MemoryTables.ts"
import { holdingsOf, writeProgressions } from "./ProgressionMemory.ts"
import { matches } from "./RowMatch.ts"
import { comparePlaces } from "./RowOrder.ts"

const list = <Fields extends JsonObject>(
  tables: TenantTables,
  resource: Resource<Fields>,
  { after, conditions, includeDeleted, includeTotal, offset, pageSize, sort }: Selection
): Page<Fields> => {
  const tests = conditions?.map((condition) => matches(tables, resource, condition))
  const rows = [...tableOf(tables, resource).rows.values()] as Array<Stored<Fields>>
  const matching =
    tests === undefined ? [] : rows.filter((row) => isVisible(row, includeDeleted) && tests.every((test) => test(row)))
  const following = matching
    .map((row) => ({ row, place: cursorAfter(resource, sort, row) }))
    .filter(({ place }) => after === undefined || comparePlaces(sort, place, after) > 0)
    .sort((one, two) => comparePlaces(sort, one.place, two.place))
    .map(({ row }) => row)
  return {
    items: following.slice(offset, offset + pageSize),
    hasMore: following.length > offset + pageSize,
    total: includeTotal ? Math.min(matching.length, totalLimit) : undefined
  }
}

const heldByEach = <Fields extends JsonObject>(
  tables: TenantTables,
  resource: Resource<Fields>,
  workers: ReadonlyArray<string>,
  limit: number
): ReadonlyMap<string, ReadonlyArray<Stored<Fields>>> => {
  const all = { sort: { column: "created_at", direction: "asc" }, after: undefined, offset: 0 } as const
  const flags = { includeDeleted: false, includeTotal: false, pageSize: limit }
  return new Map(
    workers.flatMap((worker) => {
      const condition = { _tag: "Equal", column: "worker_id", value: worker } as const
      const { items } = list(tables, resource, { ...all, ...flags, conditions: [condition] })
      return items.length === 0 ? [] : [[worker, items]]
    })
  )
}

/** Throws unless the version is one more than the stored one. */
const checkVersion = <Fields extends JsonObject>(current: Stored<Fields> | undefined, next: Stored<Fields>) => {
  const due = (current?.version ?? 0) + 1
  if (next.version !== due) throw new Error(`${next.id} has version ${next.version}, but must have version ${due}`)
}

/** How many resources the tenant has, counted up to its limit. */
const countOf = (tables: TenantTables, resource: Resource): number => {
  if (resource.most === undefined) return 0
  const living = [...tableOf(tables, resource).rows.values()].filter(({ deletedAt }) => deletedAt === null)
  return Math.min(living.length, resource.most)
}

/** Changes a resource by the contract of `ResourceStore.change`. */
export const change = <Fields extends JsonObject, E, Decided extends Change<Fields>>(
  tables: TenantTables,
  resource: Resource<Fields>,
  id: string,
  references: ReadonlyArray<Reference>,
  decide: (basis: Basis<Fields>) => Result.Result<Decided, E>,
  whose: (current: Option.Option<Stored<Fields>>) => HoldingsOf | undefined = () => undefined
): Result.Result<Decided, E> => {
  const current = rowOf(tables, resource, id)
  const holder = whose(Option.fromUndefinedOr(current))
  const found = references.map((reference) => Option.fromUndefinedOr(rowOf(tables, reference.resource, reference.id)))
  const decision = decide({
    current: Option.fromUndefinedOr(current),
    holdings: holder === undefined ? noHoldings : holdingsOf(tables, holder.person, holder.credentialTypes(found)),
    others: current === undefined ? countOf(tables, resource) : 0,
    openCount: resource.verified === true ? openOf(tables, id).length : 0,
    references: found
  })
  if (Result.isSuccess(decision) && decision.success._tag === "Changed") {
    const { health, next, subscribesTo, records } = decision.success
    checkVersion(current, next)
    const before = tables.health.get(id)
    if (health !== undefined && before !== undefined) tables.health.set(id, health(before))
    tableOf(tables, resource).rows.set(id, next)
    if (subscribesTo !== undefined) tables.subscriptions.set(id, new Set(subscribesTo))
    writeRecords(tables, records, () => next.version)
    writeProgressions(tables, records)
  }
  return decision
}

// Each method runs in one synchronous step, so it is atomic.
export const make = Effect.map(MemoryTables, (tables) =>
  ResourceStore.of({
    find: Effect.fn("ResourceStore.find")((resource, tenantId, id) =>
      Effect.sync(() => Option.fromUndefinedOr(rowOf(tables.of(tenantId), resource, id)))
    ),
    findText: Effect.fn("ResourceStore.findText")((resource, tenantId, id) =>
      Effect.sync(() => Option.map(Option.fromUndefinedOr(rowOf(tables.of(tenantId), resource, id)), foundOf))
    ),
    findAll: Effect.fn("ResourceStore.findAll")((resource, tenantId, ids) =>
      Effect.sync(
        () => new Map(ids.flatMap((id) => rowOf(tables.of(tenantId), resource, id) ?? []).map((row) => [row.id, row]))
      )
    ),
    versions: Effect.fn("ResourceStore.versions")((resource, tenantId, ids) =>
      Effect.sync(
        () =>
          new Map(
            ids.flatMap((id) => rowOf(tables.of(tenantId), resource, id) ?? []).map(({ id, version }) => [id, version])
          )
      )
    ),
    heldByEach: Effect.fn("ResourceStore.heldByEach")((resource, tenantId, workers, limit) =>
      Effect.sync(() => heldByEach(tables.of(tenantId), resource, workers, limit))
    ),
    list: Effect.fn("ResourceStore.list")((resource, tenantId, selection) =>
      Effect.sync(() => list(tables.of(tenantId), resource, selection))
    ),
    change: Effect.fn("ResourceStore.change")((resource, tenantId, id, references, decide, whose) =>
      Effect.suspend(() => Effect.fromResult(change(tables.of(tenantId), resource, id, references, decide, whose)))
    )
  })
)

export const layer: Layer.Layer<ResourceStore, never, MemoryTables> = Layer.effect(ResourceStore, make)
