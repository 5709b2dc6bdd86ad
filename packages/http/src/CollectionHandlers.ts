import { newerRoot } from "@wcs/api/NewerSurface"
import type { Collection, Reading, Shown, ShownPage } from "@wcs/domain/Collection"
import type { InvalidArgument } from "@wcs/domain/InvalidArgument"
import type { JsonObject } from "@wcs/domain/Json"
import { RequestId } from "@wcs/domain/RequestId"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as JsonBody from "./JsonBody.ts"
import type { Refusal } from "./RefusalText.ts"
import { refusing } from "./Refused.ts"

interface OfOne {
  readonly params: { readonly id: string }
}

/** `{ data, meta }` of one (section 2.2). Documents were decoded when they were read; they are not checked again. */
export const one = <Fields extends JsonObject>(
  { correlationId, document, warnings }: Shown<Fields>,
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

const many = <Fields extends JsonObject>({ documents, nextCursor, pageSize, total }: ShownPage<Fields>) =>
  Effect.map(RequestId, (requestId) => {
    const meta = { requestId, pageSize, nextCursor, ...(total === undefined ? {} : { total }) }
    return HttpServerResponse.jsonUnsafe({ data: documents, meta })
  })

/** The handlers of a group that can be read. */
export const readingHandlers = <Fields extends JsonObject, ReadError extends Refusal>(
  group: Reading<Fields, ReadError>
) => ({
  list: () => HttpServerRequest.ParsedSearchParams.pipe(Effect.flatMap(group.list), Effect.flatMap(many), refusing),

  read: ({ params }: OfOne) =>
    HttpServerRequest.ParsedSearchParams.pipe(
      Effect.flatMap((query) => group.read(params.id, query)),
      Effect.flatMap((shown) => one(shown)),
      refusing
    )
})

/** The handlers of the endpoints that every group has (section 4.2). */
export const collectionHandlers = <Fields extends JsonObject, CreateError extends Refusal, WriteError extends Refusal>(
  collection: Collection<Fields, CreateError, WriteError>,
  name: string
) => ({
  ...readingHandlers<Fields, InvalidArgument>(collection),

  create: () =>
    JsonBody.read().pipe(
      Effect.flatMap(collection.create),
      Effect.flatMap((shown) => one(shown, 201, { location: `${newerRoot}/${name}/${shown.document.id}` })),
      refusing
    ),

  replace: ({ params }: OfOne) =>
    JsonBody.read().pipe(
      Effect.flatMap((body) => collection.replace(params.id, body)),
      Effect.flatMap((shown) => one(shown)),
      refusing
    ),

  patch: ({ params }: OfOne) =>
    JsonBody.read(["application/merge-patch+json", "application/json"]).pipe(
      Effect.flatMap((body) => collection.patch(params.id, body)),
      Effect.flatMap((shown) => one(shown)),
      refusing
    ),

  remove: ({ params }: OfOne) =>
    collection.remove(params.id).pipe(Effect.as(HttpServerResponse.empty({ status: 204 })), refusing)
})
