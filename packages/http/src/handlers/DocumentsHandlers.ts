import { NewerSurface, newerRoot } from "@wcs/api/NewerSurface"
import { documentLimits } from "@wcs/domain/document/Document"
import { documentForms } from "@wcs/domain/document/DocumentForm"
import { Documents } from "@wcs/domain/document/Documents"
import { Credential } from "@wcs/domain/holding/Credential"
import * as ListQuery from "@wcs/domain/resource/ListQuery"
import { requireId } from "@wcs/domain/resource/Resource"
import { PayloadTooLarge } from "@wcs/domain/service/HttpRefusal"
import { InvalidArgument } from "@wcs/domain/shared/InvalidArgument"
import { line } from "@wcs/domain/shared/Text"
import { Effect, Result, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Call } from "../pipeline/Call.ts"
import { handlersOf } from "../pipeline/Endpoints.ts"
import { requireMediaType } from "../request/RequestBody.ts"
import { type OfOne, one } from "./CollectionHandlers.ts"
import { downloadOf, type OfDocument, octets } from "./Download.ts"

const mediaTypes = [octets, ...Object.values(documentForms).map(({ mediaType }) => mediaType)]

const isName = Schema.is(line(documentLimits.nameCharacters))

const nameOf = ({ query }: Call): Result.Result<string, InvalidArgument> =>
  Result.flatMap(ListQuery.singles(["name"], query), (given) => {
    const name = given.get("name") ?? "document"
    const reason = `must be one line of 1 to ${documentLimits.nameCharacters} characters`
    return isName(name) ? Result.succeed(name) : Result.fail(new InvalidArgument({ field: "name", reason }))
  })

const upload = (documents: Documents["Service"]) => (call: OfOne) =>
  Effect.gen(function* () {
    const { headers } = call.request
    const id = yield* Effect.fromResult(requireId(Credential, call.params.id))
    const name = yield* Effect.fromResult(nameOf(call))
    yield* requireMediaType(call.request, mediaTypes)
    const { bytes: limitBytes } = documentLimits
    const length = headers["content-length"]
    const announcedBytes = length === undefined ? undefined : Number(length)
    if (announcedBytes !== undefined && announcedBytes > limitBytes) return yield* new PayloadTooLarge({ limitBytes })
    const document = yield* documents.upload(id, { name, announcedBytes }, call.receivePieces(limitBytes))
    return one(call, { document }, 201, { location: `${newerRoot}/credentials/${id}/documents/${document.id}` })
  })

const download = (documents: Documents["Service"]) => (call: OfDocument) =>
  Effect.gen(function* () {
    yield* Effect.fromResult(ListQuery.singles([], call.query))
    const { content, document } = yield* documents.look(call.params.id, call.params.documentId)
    return downloadOf(document, content)
  })

export const make = Effect.map(Documents, (documents) =>
  handlersOf(NewerSurface, "documents", {
    list: (call: OfOne) =>
      Effect.gen(function* () {
        yield* Effect.fromResult(ListQuery.singles([], call.query))
        return one(call, { document: yield* documents.list(call.params.id) })
      }),
    create: upload(documents),
    read: download(documents),
    remove: (call: OfDocument) =>
      Effect.gen(function* () {
        const given = yield* Effect.fromResult(ListQuery.singles(["reason"], call.query))
        yield* documents.remove(call.params.id, call.params.documentId, given.get("reason"))
        return HttpServerResponse.empty({ status: 204 })
      })
  })
)
