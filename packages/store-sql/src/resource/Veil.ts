import type { Found } from "@wcs/domain/crud/ResourceStore"
import type { OwnerType } from "@wcs/domain/ownership/Ownership"
import { belongings } from "@wcs/domain/people/Oversight"
import { ownerColumns } from "@wcs/domain/people/Owner"
import { columnValue, hiddenMerge, type Resource, type Stored } from "@wcs/domain/resource/Resource"
import { at, type JsonObject } from "@wcs/domain/shared/Json"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { dialectOf } from "../engine/Dialect.ts"
import { rows, type Script } from "../engine/Script.ts"
import { makeOversight } from "./Oversight.ts"

type Named = ReadonlyArray<readonly [column: string, id: string]>

/** The columns of a row that have an owner, if there are several. One owner alone is reached, or the row was not found. */
const ownersOf = (resource: Resource, by: ReadonlyArray<OwnerType>, { fields }: Pick<Stored, "fields">): Named => {
  const owners = by.flatMap((type) => {
    const column = ownerColumns[type]
    const id = columnValue(resource, column, fields)
    return id === "" ? [] : [[column, id] as const]
  })
  return owners.length < 2 ? [] : owners
}

/** The people and units that a row names besides those by which it is reached. */
const namedIn = (resource: Resource, stored: Pick<Stored, "fields">): Named => {
  const belonging = belongings[resource.type]
  switch (belonging._tag) {
    case "Held":
      return ownersOf(resource, belonging.by, stored)
    case "Person": {
      const into = resource.mergedInto === undefined ? undefined : at(stored.fields, resource.mergedInto)
      return typeof into === "string" ? [[hiddenMerge, into]] : []
    }
    case "Unit": {
      const above = resource.tree === undefined ? "" : columnValue(resource, resource.tree, stored.fields)
      return resource.tree === undefined || above === "" ? [] : [[resource.tree, above]]
    }
    case "Nobody":
      return []
  }
}

/**
 * Says of rows that a limited account reaches which people and units in them it does not reach. Rows that name no others
 * need no read.
 */
export const makeVeil = (sql: SqlClient.SqlClient) => {
  const { reached } = makeOversight(sql, dialectOf(sql))

  const idsOf = (resource: Resource, found: ReadonlyArray<Stored>) => [
    ...new Set(found.flatMap((row) => namedIn(resource, row).map(([, id]) => id)))
  ]

  const asked = (tenantId: string, account: string, ids: ReadonlyArray<string>) =>
    reached(tenantId, JSON.stringify(ids), { account })

  const veiled = <Fields extends JsonObject>(
    resource: Resource<Fields>,
    found: ReadonlyArray<Stored<Fields>>,
    known: ReadonlyArray<{ readonly id: string }>
  ): ReadonlyArray<Stored<Fields>> => {
    const ids = new Set(known.map(({ id }) => id))
    return found.map((row) => {
      const hidden = namedIn(resource, row).flatMap(([column, id]) => (ids.has(id) ? [] : [column]))
      return hidden.length === 0 ? row : { ...row, hidden }
    })
  }

  /** Veils rows outside transactions. */
  const all = Effect.fnUntraced(function* <Fields extends JsonObject>(
    resource: Resource<Fields>,
    tenantId: string,
    account: string | undefined,
    found: ReadonlyArray<Stored<Fields>>
  ): Effect.fn.Return<ReadonlyArray<Stored<Fields>>, SqlError.SqlError> {
    const ids = account === undefined ? [] : idsOf(resource, found)
    return account === undefined || ids.length === 0
      ? found
      : veiled(resource, found, yield* asked(tenantId, account, ids))
  })

  return {
    all,

    /** Veils a row that was found by its id. Its JSON text has all owners, so it is not used. */
    one: <Fields extends JsonObject>(
      resource: Resource<Fields>,
      tenantId: string,
      account: string,
      found: Found<Fields>
    ): Effect.Effect<Found<Fields>, SqlError.SqlError> => {
      const row = found.stored()
      return Effect.map(all(resource, tenantId, account, [row]), ([seen = row]) =>
        seen === row ? found : { ...found, text: undefined, stored: () => seen }
      )
    },

    /** The same in a transaction. */
    within: function* <Fields extends JsonObject>(
      resource: Resource<Fields>,
      tenantId: string,
      account: string | undefined,
      found: ReadonlyArray<Stored<Fields>>
    ): Script<ReadonlyArray<Stored<Fields>>> {
      const ids = account === undefined ? [] : idsOf(resource, found)
      return account === undefined || ids.length === 0
        ? found
        : veiled(resource, found, yield* rows(asked(tenantId, account, ids)))
    }
  }
}
