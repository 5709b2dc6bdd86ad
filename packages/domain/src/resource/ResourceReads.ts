import { Clock, Effect, Option } from "effect"
import { Caller } from "../access/Caller.ts"
import { type Moment, momentAt } from "../shared/CalendarDay.ts"
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
  moment: Moment
): ReturnType<Show<Fields, View>> =>
  show === undefined
    ? (toDocument(resource, stored) as unknown as ReturnType<Show<Fields, View>>)
    : show(stored, moment)

/** Makes the reads of one resource. A deleted resource is found only with `includeDeleted`. */
export const makeReads = (store: ResourceStore["Service"]) => {
  function* find<Fields extends JsonObject>(resource: Resource<Fields>, id: string, query: ListQuery.Query) {
    const { tenantId, timeZone } = yield* Caller
    const { includeDeleted } = yield* Effect.fromResult(ListQuery.parseRead(query))
    const found = yield* store.findText(resource, tenantId, yield* Effect.fromResult(requireId(resource, id)))
    if (Option.isNone(found) || !SoftDelete.isVisible(found.value, includeDeleted)) {
      return yield* new ResourceNotFound({ entityType: resource.type, id })
    }
    return { found: found.value, moment: momentAt(yield* Clock.currentTimeMillis, timeZone) }
  }

  return {
    /** GET of one resource, as the stored text if possible. */
    get: Effect.fnUntraced(function* <Fields extends JsonObject, View extends JsonObject = Fields>(
      resource: Resource<Fields>,
      id: string,
      query: ListQuery.Query,
      show?: Show<Fields, View>
    ) {
      const { found, moment } = yield* find(resource, id, query)
      const text = verbatimText(resource, found, moment.today)
      const tag = tagOn(resource, found, moment.today)
      return text === undefined
        ? { document: shownBy(resource, show, found.stored(), moment), warnings: [], tag }
        : ({ text, tag } satisfies ShownText)
    }),

    /** The document of GET, for use cases that add to it. */
    read: Effect.fnUntraced(function* <Fields extends JsonObject, View extends JsonObject = Fields>(
      resource: Resource<Fields>,
      id: string,
      query: ListQuery.Query,
      show?: Show<Fields, View>
    ) {
      const { found, moment } = yield* find(resource, id, query)
      const stored = found.stored()
      return { document: shownBy(resource, show, stored, moment), warnings: [], tag: tagAt(resource, stored, moment) }
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
    const { tenantId, timeZone } = yield* Caller
    const moment = momentAt(yield* Clock.currentTimeMillis, timeZone)
    const selection = yield* Effect.fromResult(ListQuery.parse(resource, query, moment.today))
    const page = yield* store.list(resource, tenantId, selection)
    return {
      documents: page.items.map((stored) => shownBy(resource, show, stored, moment)),
      pageSize: selection.pageSize,
      nextCursor: ListQuery.nextCursor(resource, selection, page),
      total: page.total,
      warnings: []
    }
  })
