import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import type { Complying } from "@wcs/domain/resource/ListQuery"
import type { Resource, Stored } from "@wcs/domain/resource/Resource"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { AccessEpoch } from "../access/AccessEpoch.ts"
import { makeAtomically } from "../engine/Atomic.ts"
import { ReadLimits } from "../engine/BoundedReads.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { makeReader } from "../engine/DirectRead.ts"
import { makeHeldByEach } from "./HoldingsRows.ts"
import { makeChange } from "./ResourceChange.ts"
import type { Wanted } from "./ResourceCondition.ts"
import { makeFind, makeReadAll, makeReadVersions } from "./ResourceRows.ts"
import { type ResourceRow, tableOf } from "./ResourceTable.ts"
import { makeList } from "./SearchedList.ts"

const complyingWith = (complying: Complying): Wanted =>
  complying._tag === "Among" ? { _tag: "Ids", ids: complying.ids } : { ...complying, _tag: "Complying" }

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const atomically = yield* makeAtomically
  const dialect = dialectOf(sql)
  const list = yield* makeList
  const find = makeFind(sql, yield* makeReader)
  const readAll = makeReadAll(sql, dialect)
  const readVersions = makeReadVersions(sql, dialect)
  const heldByEach = yield* makeHeldByEach
  const change = makeChange(sql)

  const { decoded: mostDecoded } = yield* ReadLimits
  /** Decodes rows. Other requests run after each `decoded` characters. */
  const decodeAll = Effect.fnUntraced(function* <Fields extends JsonObject>(
    resource: Resource<Fields>,
    rows: ReadonlyArray<ResourceRow>
  ) {
    const { decode } = tableOf(resource)
    const items: Array<Stored<Fields>> = []
    let decoded = 0
    for (const row of rows) {
      if (decoded > mostDecoded) {
        decoded = 0
        yield* Effect.yieldNow
      }
      items.push(decode(row))
      decoded += row.document.length
    }
    return items
  })

  return ResourceStore.of({
    find: (resource, tenantId, id) =>
      Effect.map(
        find(resource, tenantId, id),
        Option.map((found) => found.stored())
      ),

    findText: find,

    findAll: Effect.fnUntraced(function* (resource, tenantId, ids) {
      const found = yield* Effect.orDie(readAll(resource, tenantId, ids))
      return new Map((yield* decodeAll(resource, found)).map((row) => [row.id, row]))
    }),

    versions: (resource, tenantId, ids) =>
      Effect.map(
        Effect.orDie(readVersions(resource, tenantId, ids)),
        (found) => new Map(found.map(({ id, version }) => [id, Number(version)]))
      ),

    heldByEach: Effect.fnUntraced(function* <Fields extends JsonObject>(
      resource: Resource<Fields>,
      tenantId: string,
      workers: ReadonlyArray<string>,
      limit: number
    ) {
      const held = new Map<string, ReadonlyArray<Stored<Fields>>>()
      for (const [worker, rows] of yield* Effect.orDie(heldByEach(resource, tenantId, workers, limit))) {
        held.set(worker, yield* decodeAll(resource, rows))
      }
      return held
    }),

    list: Effect.fnUntraced(function* (resource, tenantId, selection) {
      const { complying, conditions, includeTotal, pageSize } = selection
      if (conditions === undefined) return { items: [], hasMore: false, total: includeTotal ? 0 : undefined }
      const further = complying === undefined ? [] : [complyingWith(complying)]
      const { rows, total } = yield* Effect.orDie(list(resource, tenantId, [...conditions, ...further], selection))
      return { items: yield* decodeAll(resource, rows.slice(0, pageSize)), hasMore: rows.length > pageSize, total }
    }),

    change: (resource, tenantId, id, references, decide, holdingsOf) =>
      atomically((traceparent) => change(resource, tenantId, id, references, decide, traceparent, holdingsOf))
  })
})

export const layer: Layer.Layer<ResourceStore, never, SqlClient.SqlClient | AccessEpoch> = Layer.effect(
  ResourceStore,
  make
)
