import { Effect, Result } from "effect"
import * as ListQuery from "../resource/ListQuery.ts"
import type { Resource, Stored } from "../resource/Resource.ts"
import type { JsonObject } from "../shared/Json.ts"
import type { ResourceStore } from "./ResourceStore.ts"

/** A page of the rows that a worker owns. */
export interface Held<Fields extends JsonObject> {
  readonly items: ReadonlyArray<Stored<Fields>>
  /** The cursor of the next page; null on the last page. */
  readonly nextCursor: string | null
}

/**
 * Returns a function that reads a page of the rows that a worker owns. The resource must have the filter `ownerType`
 * and `ownerId`. Rows come in the order of creation, at most 100, without deleted ones. One read.
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
