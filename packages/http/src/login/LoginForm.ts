import { MalformedBody } from "@wcs/domain/shared/InvalidArgument"
import { Effect, Option, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { mediaTypeOf, readText } from "../request/RequestBody.ts"

/** Bytes of a form that a person fills in. */
export const formLimitBytes = 4096

const JsonFields = Schema.fromJsonString(Schema.Record(Schema.String, Schema.String))
const decodeJson = Schema.decodeUnknownOption(JsonFields)

/** The fields of a body: a form of the pages, or JSON of the console. A field that is missing is empty text. */
export type Fields = (name: string) => string

/** Reads a body as fields. */
export const readFields = Effect.fnUntraced(function* (limitBytes: number) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const text = yield* readText(request, limitBytes)
  if (mediaTypeOf(request.headers["content-type"]) !== "application/json") {
    const form = new URLSearchParams(text)
    return (name: string): string => form.get(name) ?? ""
  }
  const fields = decodeJson(text)
  if (Option.isNone(fields)) return yield* new MalformedBody({ reason: "it is not a JSON object of strings" })
  return (name: string): string => fields.value[name] ?? ""
})
