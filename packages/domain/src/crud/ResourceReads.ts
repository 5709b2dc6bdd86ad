import { Clock, Effect, Option, Result } from "effect"
import { Caller } from "../access/Caller.ts"
import type { Reach } from "../people/Address.ts"
import { tagOn } from "../resource/EntityTag.ts"
import * as ListQuery from "../resource/ListQuery.ts"
import {
  notFound,
  type Resource,
  type ResourceNotFound,
  requireId,
  type Stored,
  toDocument
} from "../resource/Resource.ts"
import * as SoftDelete from "../resource/SoftDelete.ts"
import { type Moment, momentAt } from "../shared/CalendarDay.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import type { JsonObject } from "../shared/Json.ts"
import type { Show } from "./GroupRules.ts"
import type { Past } from "./ResourceHistory.ts"
import type { Found, ResourceStore } from "./ResourceStore.ts"
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

/** The document of what a read found. Only GET of one person says that no message reaches the person. */
const shownFound = <Fields extends JsonObject, View extends JsonObject>(
  resource: Resource<Fields>,
  show: Show<Fields, View> | undefined,
  { found, moment }: Read<Fields>
): ReturnType<Show<Fields, View>> & Reach => ({
  ...shownBy(resource, show, found.stored(), moment),
  ...(found.isUnreachable ? { unreachable: true } : {})
})

/** What a read found, and when. */
interface Read<Fields extends JsonObject> {
  readonly found: Found<Fields>
  readonly moment: Moment
  /** Whether the document depends on the stored resource alone. For a limited caller it depends on the units, too. */
  readonly isAlone: boolean
}

const parseAsked = (resource: Resource, id: string, query: ListQuery.Query) =>
  Result.flatMap(ListQuery.parseRead(query), (asked) => Result.map(requireId(resource, id), () => asked))

/** Makes the reads of one resource. A deleted resource is found only with `includeDeleted`. */
export const makeReads = (store: ResourceStore["Service"]) => {
  // Without generators: these are the most frequent calls.
  const find = <Fields extends JsonObject>(resource: Resource<Fields>, id: string, query: ListQuery.Query) =>
    Caller.use(({ limitedTo, tenantId, timeZone }): Effect.Effect<Read<Fields>, InvalidArgument | ResourceNotFound> => {
      const asked = parseAsked(resource, id, query)
      if (Result.isFailure(asked)) return Effect.fail(asked.failure)
      const { includeDeleted } = asked.success
      return Effect.flatMap(store.findText(resource, tenantId, id), (found) =>
        Option.isNone(found) || !SoftDelete.isVisible(found.value, includeDeleted)
          ? Effect.fail(notFound(resource, id, Option.getOrUndefined(found)?.stored()))
          : Effect.map(Clock.currentTimeMillis, (now) => ({
              found: found.value,
              moment: momentAt(now, timeZone),
              isAlone: limitedTo === undefined
            }))
      )
    })

  return {
    /** GET of one resource. */
    get: <Fields extends JsonObject, View extends JsonObject = Fields>(
      resource: Resource<Fields>,
      id: string,
      query: ListQuery.Query,
      show?: Show<Fields, View>
    ) =>
      Effect.map(find(resource, id, query), (read) => {
        const { found, isAlone, moment } = read
        const tag = tagOn(resource, found, moment.today)
        return {
          text: verbatimText(resource, found, moment.today) ?? JSON.stringify(shownFound(resource, show, read)),
          tag: isAlone ? tag : { ...tag, isWhole: false }
        }
      }),

    /** The document of GET, for use cases that add to it. */
    read: <Fields extends JsonObject, View extends JsonObject = Fields>(
      resource: Resource<Fields>,
      id: string,
      query: ListQuery.Query,
      show?: Show<Fields, View>
    ) => Effect.map(find(resource, id, query), (read) => shownFound(resource, show, read))
  }
}

/** The document of GET as of a time. */
export const readPast = Effect.fnUntraced(function* <Fields extends JsonObject, View extends JsonObject = Fields>(
  resource: Resource<Fields>,
  id: string,
  { moment, query, reads }: Past,
  show?: Show<Fields, View>
) {
  const { includeDeleted } = yield* Effect.fromResult(parseAsked(resource, id, query))
  const found = (yield* reads.findAll(resource, (yield* Caller).tenantId, [id])).get(id)
  if (found === undefined || !SoftDelete.isVisible(found, includeDeleted)) {
    return yield* notFound(resource, id, found)
  }
  return shownBy(resource, show, found, moment)
})

/** Makes GET of a page. `among`: only resources with these ids. */
export const makeList = (store: ResourceStore["Service"]) =>
  Effect.fnUntraced(function* <Fields extends JsonObject, View extends JsonObject = Fields>(
    resource: Resource<Fields>,
    query: ListQuery.Query,
    show?: Show<Fields, View>,
    among?: ReadonlyArray<string>
  ) {
    const { tenantId, timeZone } = yield* Caller
    const moment = momentAt(yield* Clock.currentTimeMillis, timeZone)
    const parsed = yield* Effect.fromResult(ListQuery.parse(resource, query, moment.today))
    const selection: ListQuery.Selection =
      among === undefined ? parsed : { ...parsed, complying: { _tag: "Among", ids: among } }
    const page = yield* store.list(resource, tenantId, selection)
    return {
      documents: page.items.map((stored) => shownBy(resource, show, stored, moment)),
      pageSize: selection.pageSize,
      nextCursor: ListQuery.nextCursor(resource, selection, page),
      total: page.total,
      warnings: []
    }
  })
