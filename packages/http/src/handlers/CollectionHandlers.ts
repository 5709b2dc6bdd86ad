import { newerRoot } from "@wcs/api/NewerSurface"
import type { Collection, Reading, Shown, ShownPage, Writing } from "@wcs/domain/resource/Collection"
import type { Query } from "@wcs/domain/resource/ListQuery"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { HttpApiBuilder, HttpApiEndpoint } from "effect/http-api"
import type { Refusal } from "../refusal/RefusalText.ts"
import { refusing } from "../refusal/Refused.ts"
import * as JsonBody from "../request/JsonBody.ts"

interface OfOne {
  readonly params: { readonly id: string }
}

/** Builds `{ data, meta }` of one document (§2.2). The document is already valid and is not encoded again. */
export const one = (
  { correlationId, document, warnings }: Omit<Shown<JsonObject>, "document"> & { readonly document: JsonObject },
  status = 200,
  headers: Readonly<Record<string, string>> = {}
) =>
  Effect.map(RequestId, (requestId) => {
    const meta = {
      requestId,
      ...(correlationId === undefined ? {} : { correlationId }),
      ...(warnings.length === 0 ? {} : { warnings })
    }
    return HttpServerResponse.jsonUnsafe({ data: document, meta }, { status, headers })
  })

const many = ({ documents, nextCursor, pageSize, total, warnings }: ShownPage<JsonObject>) =>
  Effect.map(RequestId, (requestId) => {
    const meta = {
      requestId,
      pageSize,
      nextCursor,
      ...(total === undefined ? {} : { total }),
      ...(warnings.length === 0 ? {} : { warnings })
    }
    return HttpServerResponse.jsonUnsafe({ data: documents, meta })
  })

/** Builds the bulk envelope, with one item per input and the number of failures (§2.2; BLK-18). */
export const batch = (data: ReadonlyArray<JsonObject>, failed: number, warnings: ReadonlyArray<string>) =>
  Effect.map(RequestId, (requestId) => {
    const counts = { total: data.length, succeeded: data.length - failed, failed }
    const meta = { ...counts, requestId, ...(warnings.length === 0 ? {} : { warnings }) }
    return HttpServerResponse.jsonUnsafe({ data, meta })
  })

/** The handler of a list. */
export const listHandler =
  <Shown extends JsonObject, E extends Refusal, R>(list: (query: Query) => Effect.Effect<ShownPage<Shown>, E, R>) =>
  () =>
    HttpServerRequest.ParsedSearchParams.pipe(Effect.flatMap(list), Effect.flatMap(many), refusing)

/** The handler of a read of one document. */
export const readHandler =
  <Shown extends JsonObject, E extends Refusal, R>(read: (id: string, query: Query) => Effect.Effect<Shown, E, R>) =>
  ({ params }: OfOne) =>
    HttpServerRequest.ParsedSearchParams.pipe(
      Effect.flatMap((query) => read(params.id, query)),
      Effect.flatMap((document) => one({ document, warnings: [] })),
      refusing
    )

/** The handler of a delete. */
export const removeHandler =
  <E extends Refusal, R>(remove: (id: string, query: Query) => Effect.Effect<void, E, R>) =>
  ({ params }: OfOne) =>
    HttpServerRequest.ParsedSearchParams.pipe(
      Effect.flatMap((query) => remove(params.id, query)),
      Effect.as(HttpServerResponse.empty({ status: 204 })),
      refusing
    )

/** The handlers of list and read. */
export const readingHandlers = <
  Fields extends JsonObject,
  ReadError extends Refusal = never,
  ListError extends Refusal = never
>(
  group: Reading<Fields, ReadError, ListError>
) => ({
  list: listHandler(group.list),

  read: ({ params }: OfOne) =>
    HttpServerRequest.ParsedSearchParams.pipe(
      Effect.flatMap((query) => group.read(params.id, query)),
      Effect.flatMap((shown) => one(shown)),
      refusing
    )
})

/** The handlers of create, replace, patch and delete. */
export const writingHandlers = <Fields extends JsonObject, CreateError extends Refusal, WriteError extends Refusal>(
  group: Writing<Fields, CreateError, WriteError>,
  name: string
) => ({
  create: () =>
    JsonBody.read().pipe(
      Effect.flatMap(group.create),
      Effect.flatMap((shown) => one(shown, 201, { location: `${newerRoot}/${name}/${shown.document.id}` })),
      refusing
    ),

  replace: ({ params }: OfOne) =>
    JsonBody.read().pipe(
      Effect.flatMap((body) => group.replace(params.id, body)),
      Effect.flatMap((shown) => one(shown)),
      refusing
    ),

  patch: ({ params }: OfOne) =>
    JsonBody.read(["application/merge-patch+json", "application/json"]).pipe(
      Effect.flatMap((body) => group.patch(params.id, body)),
      Effect.flatMap((shown) => one(shown)),
      refusing
    ),

  remove: removeHandler(group.remove)
})

/** The handlers of the six standard endpoints (§4.2). */
export const collectionHandlers = <Fields extends JsonObject, CreateError extends Refusal, WriteError extends Refusal>(
  collection: Collection<Fields, CreateError, WriteError>,
  name: string
) => ({ ...readingHandlers<Fields>(collection), ...writingHandlers(collection, name) })

type Handled<Endpoint extends HttpApiEndpoint.Constraint, R> = HttpApiEndpoint.Handler<
  Endpoint,
  HttpApiEndpoint.MiddlewareError<Endpoint>,
  R
>
type HandledRaw<Endpoint extends HttpApiEndpoint.Constraint, R> = HttpApiEndpoint.HandlerRaw<
  Endpoint,
  HttpApiEndpoint.MiddlewareError<Endpoint>,
  R
>

/** Adds the handlers of the six standard endpoints to a group. Its other endpoints follow. */
export const crudHandlers = <
  Endpoints extends Readonly<
    Record<"list" | "create" | "read" | "replace" | "patch" | "remove", HttpApiEndpoint.Constraint>
  >,
  R,
  RRaw
>(
  handlers: HttpApiBuilder.Handlers<never, Endpoints>,
  own: {
    readonly list: Handled<Endpoints["list"], R>
    readonly create: HandledRaw<Endpoints["create"], RRaw>
    readonly read: Handled<Endpoints["read"], R>
    readonly replace: HandledRaw<Endpoints["replace"], RRaw>
    readonly patch: HandledRaw<Endpoints["patch"], RRaw>
    readonly remove: Handled<Endpoints["remove"], R>
  }
) =>
  handlers
    .handle("list", own.list)
    .handleRaw("create", own.create)
    .handle("read", own.read)
    .handleRaw("replace", own.replace)
    .handleRaw("patch", own.patch)
    .handle("remove", own.remove)
