import { Context, Effect, Layer, Option, Result } from "effect"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { Worker, type WorkerFields } from "../people/Worker.ts"
import * as ListQuery from "../resource/ListQuery.ts"
import { isIdOf, ResourceNotFound, type Stored } from "../resource/Resource.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { OtherOrganization } from "./LegacyAccess.ts"
import { LegacyCaller } from "./LegacyAuthentication.ts"

/** A worker on the legacy surface (DECISIONS.md#fields). */
export interface Constituent {
  readonly id: string
  readonly first_name: string
  readonly surname: string
  readonly date_of_birth: string | null
  readonly email: string | null
  readonly mobile_number: string | null
  readonly external_id: string | null
  readonly is_active: boolean
}

/** A page of constituents. */
export interface ConstituentPage {
  readonly data: ReadonlyArray<Constituent>
  readonly page: number
  readonly page_size: number
  /** The number of constituents, at most 10,000. */
  readonly total: number
}

/**
 * Returns the worker on the legacy surface. A worker with only a display name gets it as surname. A worker who has left
 * is not active.
 */
export const constituentOf = ({ fields, id }: Stored<WorkerFields>): Constituent => {
  const { contact, employment, identity, source } = fields
  return {
    id,
    first_name: identity.firstName ?? "",
    surname: identity.lastName ?? (identity.firstName === undefined ? identity.displayName : ""),
    date_of_birth: identity.birthDate ?? null,
    email: contact?.workEmail ?? contact?.personalEmail ?? null,
    mobile_number: contact?.mobileNumber ?? null,
    external_id: source?.externalId ?? null,
    is_active: employment?.status !== "INACTIVE" && employment?.status !== "TERMINATED"
  }
}

/** The people of the caller's organization on the legacy surface (§4.1). */
export class Constituents extends Context.Service<
  Constituents,
  {
    /** Returns a page by `page` and `page_size`, in the order of creation. */
    readonly list: (query: ListQuery.Query) => Effect.Effect<ConstituentPage, InvalidArgument, LegacyCaller>
    /**
     * Returns one constituent. An id of another organization gets the same error as an unknown id, so ids reveal
     * nothing about other organizations (§5.1, item 6).
     */
    readonly read: (id: string) => Effect.Effect<Constituent, OtherOrganization | ResourceNotFound, LegacyCaller>
  }
>()("@wcs/domain/Constituents") {}

/** Legacy parameters and their names on the newer surface. Errors use the legacy names. */
const translated = { page: "page", page_size: "pageSize" } as const

const parse = (query: ListQuery.Query): Result.Result<ListQuery.Selection, InvalidArgument> => {
  const unknown = Object.keys(query).find((name) => !Object.hasOwn(translated, name))
  if (unknown !== undefined) {
    return Result.fail(
      new InvalidArgument({
        field: unknown.slice(0, 100),
        reason: "is not a parameter of this call. The parameters are listed at /docs"
      })
    )
  }
  const entries = Object.entries(translated).flatMap(([name, newer]) => {
    const value = query[name]
    return value === undefined ? [] : [[newer, value] as const]
  })
  return Result.mapError(
    ListQuery.parse(Worker, { page: "1", ...Object.fromEntries(entries), includeTotal: "true" }, ""),
    ({ field, reason }) => new InvalidArgument({ field: field === "pageSize" ? "page_size" : field, reason })
  )
}

export const make = Effect.gen(function* () {
  const store = yield* ResourceStore

  const list: Constituents["Service"]["list"] = Effect.fn("Constituents.list")(function* (query) {
    const { caller } = yield* LegacyCaller
    const selection = yield* Effect.fromResult(parse(query))
    const { items, total } = yield* store.list(Worker, caller.tenantId, selection)
    return {
      data: items.map(constituentOf),
      page: selection.offset / selection.pageSize + 1,
      page_size: selection.pageSize,
      total: total ?? items.length
    }
  })

  const read: Constituents["Service"]["read"] = Effect.fn("Constituents.read")(function* (id) {
    const { caller } = yield* LegacyCaller
    const found = isIdOf(Worker, id) ? yield* store.find(Worker, caller.tenantId, id) : Option.none()
    if (Option.isNone(found)) return yield* new OtherOrganization()
    if (found.value.deletedAt !== null) return yield* new ResourceNotFound({ entityType: Worker.type, id })
    return constituentOf(found.value)
  })

  return Constituents.of({ list, read })
})

export const layer = Layer.effect(Constituents, make)
