import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { type OwnerType, ownerTypes } from "@wcs/domain/ownership/Ownership"
import { ownerColumns, ownerResources } from "@wcs/domain/people/Owner"
import type { Complying } from "@wcs/domain/resource/ListQuery"
import type { Resource, Stored } from "@wcs/domain/resource/Resource"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { makeAtomically } from "../engine/Atomic.ts"
import { ReadLimits } from "../engine/BoundedReads.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { makeReader } from "../engine/DirectRead.ts"
import { makeHeldByEach } from "./HoldingsRows.ts"
import { limitedAccountOf, withOverseer } from "./Oversight.ts"
import { makeChange } from "./ResourceChange.ts"
import type { Wanted } from "./ResourceCondition.ts"
import { makeFind, makeReadAll, makeReadVersions } from "./ResourceRows.ts"
import { type ResourceRow, tableOf } from "./ResourceTable.ts"
import { makeList } from "./SearchedList.ts"
import { makeVeil } from "./Veil.ts"

const complyingWith = (complying: Complying): Wanted =>
  complying._tag === "Among" ? { _tag: "Ids", ids: complying.ids } : { ...complying, _tag: "Complying" }

/** The conditions of a list for a limited account: its rows, and only by people and units above that it reaches. */
const overseen = (
  { tree }: Pick<Resource, "tree">,
  account: string,
  conditions: ReadonlyArray<Wanted>
): ReadonlyArray<Wanted> => [
  ...conditions.map((condition) =>
    condition._tag === "HeldBy" || condition._tag === "InUnit" ? { ...condition, account } : condition
  ),
  ...ownerTypes.flatMap((owner) =>
    conditions.some((each) => each._tag === "Equal" && each.column === ownerColumns[owner] && each.value !== "")
      ? [{ _tag: "OverseenOwner", account, owner } as const]
      : []
  ),
  ...conditions.flatMap((condition) =>
    condition._tag === "Equal" && condition.column === tree
      ? [{ _tag: "OverseenParent", account, column: condition.column } as const]
      : []
  ),
  { _tag: "Overseen", account }
]

/** Reads for a caller who may be limited to units. */
const makeLimited = (
  sql: SqlClient.SqlClient,
  find: ReturnType<typeof makeFind>,
  readVersions: ReturnType<typeof makeReadVersions>
) => {
  const veil = makeVeil(sql)

  const findFor: ResourceStore["Service"]["findText"] = (resource, tenantId, id) =>
    Effect.withFiber((fiber) => {
      const account = limitedAccountOf(fiber.context)
      const found = find(resource, tenantId, id, account)
      return account === undefined
        ? found
        : Effect.flatMap(
            found,
            Option.match({
              onNone: () => Effect.succeedNone,
              onSome: (row) => Effect.map(Effect.orDie(veil.one(resource, tenantId, account, row)), Option.some)
            })
          )
    })

  /** Those of some people whom a limited account reaches. */
  const peopleFor = Effect.fnUntraced(function* (
    type: OwnerType,
    tenantId: string,
    people: ReadonlyArray<string>,
    account: string
  ) {
    const found = yield* Effect.orDie(readVersions(ownerResources[type], tenantId, people, account))
    const reached = new Set(found.map(({ id }) => id))
    return people.filter((id) => reached.has(id))
  })

  return { findFor, peopleFor, veil }
}

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

  const { findFor, peopleFor, veil } = makeLimited(sql, find, readVersions)

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
        findFor(resource, tenantId, id),
        Option.map((found) => found.stored())
      ),

    findText: findFor,

    findAll: (resource, tenantId, ids) =>
      withOverseer((account) =>
        Effect.gen(function* () {
          const found = yield* decodeAll(resource, yield* Effect.orDie(readAll(resource, tenantId, ids, account)))
          const seen = yield* Effect.orDie(veil.all(resource, tenantId, account, found))
          return new Map(seen.map((row) => [row.id, row]))
        })
      ),

    versions: (resource, tenantId, ids) =>
      withOverseer((account) =>
        Effect.map(
          Effect.orDie(readVersions(resource, tenantId, ids, account)),
          (found) => new Map(found.map(({ id, version }) => [id, Number(version)]))
        )
      ),

    heldByEach: <Fields extends JsonObject>(
      resource: Resource<Fields>,
      tenantId: string,
      people: ReadonlyArray<string>,
      limit: number,
      by: OwnerType = "worker"
    ) =>
      withOverseer((account) =>
        Effect.gen(function* () {
          const reached = account === undefined ? people : yield* peopleFor(by, tenantId, people, account)
          const held = new Map<string, ReadonlyArray<Stored<Fields>>>()
          for (const [person, rows] of yield* Effect.orDie(heldByEach(resource, tenantId, reached, limit, by))) {
            const found = yield* decodeAll(resource, rows)
            held.set(person, yield* Effect.orDie(veil.all(resource, tenantId, account, found)))
          }
          return held
        })
      ),

    list: (resource, tenantId, selection) =>
      withOverseer((account) =>
        Effect.gen(function* () {
          const { complying, conditions, includeTotal, pageSize } = selection
          if (conditions === undefined) return { items: [], hasMore: false, total: includeTotal ? 0 : undefined }
          const given: ReadonlyArray<Wanted> =
            complying === undefined ? conditions : [...conditions, complyingWith(complying)]
          const wanted = account === undefined ? given : overseen(resource, account, given)
          const { rows, total } = yield* Effect.orDie(list(resource, tenantId, wanted, selection))
          const found = yield* decodeAll(resource, rows.slice(0, pageSize))
          const items = yield* Effect.orDie(veil.all(resource, tenantId, account, found))
          return { items, hasMore: rows.length > pageSize, total }
        })
      ),

    change: (resource, tenantId, id, references, decide, holdingsOf) =>
      withOverseer((account) =>
        atomically((traceparent) =>
          change(resource, tenantId, id, references, decide, traceparent, holdingsOf, account)
        )
      )
  })
})

export const layer = Layer.effect(ResourceStore, make)
