import { Clock, Effect, Option } from "effect"
import { Caller } from "../access/Caller.ts"
import { dayAt } from "../shared/CalendarDay.ts"
import type { JsonObject } from "../shared/Json.ts"
import type { ShownText } from "./Collection.ts"
import { tagAt, tagOn } from "./EntityTag.ts"
import type { Show } from "./GroupRules.ts"
import * as ListQuery from "./ListQuery.ts"
import { type Resource, ResourceNotFound, requireId, type Stored, toDocument } from "./Resource.ts"
import type { ResourceStore } from "./ResourceStore.ts"
import * as SoftDelete from "./SoftDelete.ts"
import { verbatimText } from "./VerbatimText.ts"

/** Returns the document that callers get. Without `show`, `View` is `Fields`. */
export const shownBy = <Fields extends JsonObject, View extends JsonObject>(
  resource: Resource<Fields>,
  show: Show<Fields, View> | undefined,
  stored: Stored<Fields>,
  now: number
): ReturnType<Show<Fields, View>> =>
  show === undefined ? (toDocument(resource, stored) as unknown as ReturnType<Show<Fields, View>>) : show(stored, now)

/** Makes the reads of one resource. A deleted resource is found only with `includeDeleted`. */
export const makeReads = (store: ResourceStore["Service"]) => {
  function* find<Fields extends JsonObject>(resource: Resource<Fields>, id: string, query: ListQuery.Query) {
    const { tenantId } = yield* Caller
    const { includeDeleted } = yield* Effect.fromResult(ListQuery.parseRead(query))
    const found = yield* store.findText(resource, tenantId, yield* Effect.fromResult(requireId(resource, id)))
    if (Option.isNone(found) || !SoftDelete.isVisible(found.value, includeDeleted)) {
      return yield* new ResourceNotFound({ entityType: resource.type, id })
    }
    return { found: found.value, now: yield* Clock.currentTimeMillis }
  }

  return {
    /** GET of one resource, as the stored text if possible. */
    get: Effect.fnUntraced(function* <Fields extends JsonObject, View extends JsonObject = Fields>(
      resource: Resource<Fields>,
      id: string,
      query: ListQuery.Query,
      show?: Show<Fields, View>
    ) {
      const { found, now } = yield* find(resource, id, query)
      const today = dayAt(now)
      const text = verbatimText(resource, found, today)
      const tag = tagOn(resource, found, today)
      return text === undefined
        ? { document: shownBy(resource, show, found.stored(), now), warnings: [], tag }
        : ({ text, tag } satisfies ShownText)
    }),

    /** The document of GET, for use cases that add to it. */
    read: Effect.fnUntraced(function* <Fields extends JsonObject, View extends JsonObject = Fields>(
      resource: Resource<Fields>,
      id: string,
      query: ListQuery.Query,
      show?: Show<Fields, View>
    ) {
      const { found, now } = yield* find(resource, id, query)
      const stored = found.stored()
      return { document: shownBy(resource, show, stored, now), warnings: [], tag: tagAt(resource, stored, now) }
    })
  }
}

/** Makes GET of a page. */
export const makeList = (store: ResourceStore["Service"]) =>
  Effect.fnUntraced(function* <Fields extends JsonObject, View extends JsonObject = Fields>(
    resource: Resource<Fields>,
    query: ListQuery.Query,
    show?: Show<Fields, View>
  ) {
    const { tenantId } = yield* Caller
    const now = yield* Clock.currentTimeMillis
    const selection = yield* Effect.fromResult(ListQuery.parse(resource, query, dayAt(now)))
    const page = yield* store.list(resource, tenantId, selection)
    return {
      documents: page.items.map((stored) => shownBy(resource, show, stored, now)),
      pageSize: selection.pageSize,
      nextCursor: ListQuery.nextCursor(resource, selection, page),
      total: page.total,
      warnings: []
    }
  })
