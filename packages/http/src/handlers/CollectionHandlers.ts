import { newerRoot } from "@wcs/api/NewerSurface"
import type {
  Collection,
  Reading,
  Restoring,
  Shown,
  ShownPage,
  ShownText,
  Writing
} from "@wcs/domain/resource/Collection"
import type { EntityTag } from "@wcs/domain/resource/EntityTag"
import type { Query } from "@wcs/domain/resource/ListQuery"
import type { ChangesPage } from "@wcs/domain/service/Changes"
import type { Refusal } from "@wcs/domain/service/Refusals"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Call } from "../pipeline/Call.ts"
import { listText } from "../pipeline/ListText.ts"
import { comparing, isUnmodified } from "../request/Conditions.ts"
import * as JsonBody from "../request/JsonBody.ts"
import { sealed } from "../request/SealedCursor.ts"

/** A call to one resource. */
export type OfOne = Call & { readonly params: { readonly id: string } }

type Shape = Omit<Shown<JsonObject>, "document" | "warnings"> & {
  readonly document: JsonObject
  readonly warnings?: ReadonlyArray<string>
}

const warningsOf = (warnings: ReadonlyArray<string>) => (warnings.length === 0 ? {} : { warnings })

const setTag = ({ headers }: Call, tag: EntityTag | undefined): void => {
  if (tag !== undefined) headers["etag"] = tag.text
}

/** Builds `{ data, meta }` of one document (§2.2). The document is already valid and is not encoded again. */
export const one = (
  call: Call,
  { correlationId, document, tag, warnings = [] }: Shape,
  status = 200,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse => {
  const { requestId } = call
  setTag(call, tag)
  const meta = { requestId, ...(correlationId === undefined ? {} : { correlationId }), ...warningsOf(warnings) }
  return HttpServerResponse.jsonUnsafe({ data: document, meta }, { status, headers })
}

const json = { contentType: "application/json" }

/** Builds the same from the JSON text of a document. */
const oneText = (call: Call, { tag, text, warnings }: ShownText): HttpServerResponse.HttpServerResponse => {
  setTag(call, tag)
  const told = warnings === undefined || warnings.length === 0 ? "" : `,"warnings":${JSON.stringify(warnings)}`
  // A ULID needs no escapes.
  return HttpServerResponse.text(`{"data":${text},"meta":{"requestId":"${call.requestId}"${told}}}`, json)
}

type Page = Omit<ShownPage<JsonObject>, "documents"> & { readonly documents: ReadonlyArray<object> }

const many = (
  { requestId }: Call,
  { documents, pageSize, total, warnings }: Page,
  nextCursor: string | null
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const meta = { requestId, pageSize, nextCursor, ...(total === undefined ? {} : { total }), ...warningsOf(warnings) }
  return listText(documents, meta)
}

/** Builds the bulk envelope, with one item per input and the number of failures (§2.2; BLK-18). */
export const batch = (
  { requestId }: Call,
  data: ReadonlyArray<JsonObject>,
  failed: number,
  warnings: ReadonlyArray<string>
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const counts = { total: data.length, succeeded: data.length - failed, failed }
  return listText(data, { ...counts, requestId, ...warningsOf(warnings) })
}

/** Answers a document without warnings. */
export const oneOf = <E, R>(call: Call, document: Effect.Effect<JsonObject, E, R>) =>
  Effect.map(document, (found) => one(call, { document: found }))

/** Answers what a use case shows. */
export const shownOf = <E, R>(call: Call, shown: Effect.Effect<Shape, E, R>) => Effect.map(shown, (it) => one(call, it))

/** Answers a page. */
export const pageOf = <E, R>(call: Call, page: Effect.Effect<Page, E, R>) =>
  Effect.flatMap(page, (found) => Effect.flatMap(sealed(call, found.nextCursor), (cursor) => many(call, found, cursor)))

/** The handler of a page of changes. */
export const changesHandler =
  <E extends Refusal, R>(after: (query: Query) => Effect.Effect<ChangesPage, E, R>) =>
  (call: Call) =>
    Effect.gen(function* () {
      const { documents, hasMore, pageSize, position } = yield* after(call.query)
      const next = yield* sealed(call, position)
      return yield* listText(documents, { requestId: call.requestId, pageSize, position: next, hasMore })
    })

/** The handler of a list. */
export const listHandler =
  <Shown extends JsonObject, E extends Refusal, R>(list: (query: Query) => Effect.Effect<ShownPage<Shown>, E, R>) =>
  (call: Call) =>
    pageOf(call, list(call.query))

/** The handler of a read of one document. */
export const readHandler =
  <Shown extends JsonObject, E extends Refusal, R>(read: (id: string, query: Query) => Effect.Effect<Shown, E, R>) =>
  (call: OfOne) =>
    oneOf(call, read(call.params.id, call.query))

const noContent = HttpServerResponse.empty({ status: 204 })

/** The handler of a delete. */
export const removeHandler =
  <E extends Refusal, R>(remove: (id: string, query: Query) => Effect.Effect<void, E, R>) =>
  (call: OfOne) =>
    Effect.as(remove(call.params.id, call.query), noContent)

/** The handler of a read that compares tags. */
export const readingHandler =
  <Fields extends JsonObject, E extends Refusal = never>({ read }: Pick<Reading<Fields, E>, "read">) =>
  (call: OfOne) =>
    Effect.map(comparing(call, read(call.params.id, call.query)), (shown) => {
      if (isUnmodified(call, shown.tag)) {
        setTag(call, shown.tag)
        return HttpServerResponse.empty({ status: 304 })
      }
      return oneText(call, shown)
    })

/** The handlers of create, replace and patch. */
export const changingHandlers = <Fields extends JsonObject, CreateError extends Refusal, WriteError extends Refusal>(
  group: Omit<Writing<Fields, CreateError, WriteError>, "remove">,
  name: string
) => ({
  create: (call: Call) =>
    JsonBody.read(call).pipe(
      Effect.flatMap(group.create),
      Effect.map((shown) => one(call, shown, 201, { location: `${newerRoot}/${name}/${shown.document.id}` }))
    ),
  replace: (call: OfOne) =>
    shownOf(
      call,
      Effect.flatMap(JsonBody.read(call), (body) => group.replace(call.params.id, body))
    ),
  patch: (call: OfOne) =>
    shownOf(
      call,
      Effect.flatMap(JsonBody.readPatch(call), (body) => group.patch(call.params.id, body))
    )
})

/** The handlers of create, replace, patch and delete. */
export const writingHandlers = <
  Fields extends JsonObject,
  CreateError extends Refusal,
  WriteError extends Refusal,
  RemoveError extends Refusal = never
>(
  group: Writing<Fields, CreateError, WriteError, RemoveError>,
  name: string
) => ({ ...changingHandlers(group, name), remove: removeHandler(group.remove) })

/** The handler of restore. */
export const restoringHandlers = <Fields extends JsonObject, Refused extends Refusal = never>({
  restore
}: Restoring<Fields, Refused>) => ({
  restore: (call: OfOne) => shownOf(call, restore(call.params.id))
})

/** The handlers of the standard endpoints (§4.2), besides the list. */
export const recordHandlers = <Fields extends JsonObject, CreateError extends Refusal, WriteError extends Refusal>(
  collection: Omit<Collection<Fields, CreateError, WriteError>, "list">,
  name: string
) => ({ read: readingHandler<Fields>(collection), ...writingHandlers(collection, name) })
