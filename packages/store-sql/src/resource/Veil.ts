import type { Found } from "@wcs/domain/crud/ResourceStore"
import { belongings } from "@wcs/domain/people/Oversight"
import { ownerColumns } from "@wcs/domain/people/Owner"
import { columnValue, type Resource, type Stored } from "@wcs/domain/resource/Resource"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { dialectOf } from "../engine/Dialect.ts"
import { rows, type Script } from "../engine/Script.ts"
import { makeOversight } from "./Oversight.ts"

/** The columns of a row that have an owner, if there are several. One owner alone is reached, or the row was not found. */
const ownersOf = (resource: Resource, { fields }: Pick<Stored, "fields">): ReadonlyArray<readonly [string, string]> => {
  const belonging = belongings[resource.type]
  if (belonging._tag !== "Held" || belonging.by.length < 2) return []
  const owners = belonging.by.flatMap((type) => {
    const column = ownerColumns[type]
    const id = columnValue(resource, column, fields)
    return id === "" ? [] : [[column, id] as const]
  })
  return owners.length < 2 ? [] : owners
}

/**
 * Says of rows that a limited account reaches which of their owners it does not reach. Rows with one owner need no read.
 */
export const makeVeil = (sql: SqlClient.SqlClient) => {
  const { reached } = makeOversight(sql, dialectOf(sql))

  const idsOf = (resource: Resource, found: ReadonlyArray<Stored>) => [
    ...new Set(found.flatMap((row) => ownersOf(resource, row).map(([, id]) => id)))
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
      const hidden = ownersOf(resource, row).flatMap(([column, id]) => (ids.has(id) ? [] : [column]))
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
