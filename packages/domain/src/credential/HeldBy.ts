import { Effect, Result } from "effect"
import * as ListQuery from "../resource/ListQuery.ts"
import type { Resource, Stored } from "../resource/Resource.ts"
import type { ResourceStore } from "../resource/ResourceStore.ts"
import type { JsonObject } from "../shared/Json.ts"

/** A page of what somebody holds. */
export interface Held<Fields extends JsonObject> {
  readonly items: ReadonlyArray<Stored<Fields>>
  /** Where the next page begins, or null at the end. */
  readonly nextCursor: string | null
}

/**
 * Makes what reads a page of what a worker holds of a resource with the filter `ownerType` and `ownerId`: deleted ones
 * apart, in the order of creation, 100 at most. One read, by the worker's id.
 */
export const makeHeldBy =
  (store: ResourceStore["Service"]) =>
  <Fields extends JsonObject>(
    resource: Resource<Fields>,
    tenantId: string,
    worker: string,
    cursor: string | null = null
  ): Effect.Effect<Held<Fields>> =>
    Effect.suspend(() => {
      const query = { ownerType: "worker", ownerId: worker, pageSize: String(ListQuery.maxPageSize) }
      const continued = cursor === null ? query : { ...query, cursor }
      const selection = Result.getOrThrow(ListQuery.parse(resource, continued, ""))
      return Effect.map(store.list(resource, tenantId, selection), (page) => ({
        items: page.items,
        nextCursor: ListQuery.nextCursor(resource, selection, page)
      }))
    })
