import { newerRoot } from "@wcs/api/NewerSurface"
import type { Collection, Shown, ShownPage } from "@wcs/domain/Collection"
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

/** The handlers of the endpoints that every group has (section 4.2). */
export const collectionHandlers = <Fields extends JsonObject, CreateError extends Refusal, WriteError extends Refusal>(
  collection: Collection<Fields, CreateError, WriteError>,
  name: string
) => ({
  list: () =>
    HttpServerRequest.ParsedSearchParams.pipe(Effect.flatMap(collection.list), Effect.flatMap(many), refusing),

  create: () =>
    JsonBody.read().pipe(
      Effect.flatMap(collection.create),
      Effect.flatMap((shown) => one(shown, 201, { location: `${newerRoot}/${name}/${shown.document.id}` })),
      refusing
    ),

  read: ({ params }: OfOne) =>
    HttpServerRequest.ParsedSearchParams.pipe(
      Effect.flatMap((query) => collection.read(params.id, query)),
      Effect.flatMap((shown) => one(shown)),
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
