import { MalformedBody } from "@wcs/domain/shared/InvalidArgument"
import { Effect, Option, Schema } from "effect"
import type { Call } from "../pipeline/Call.ts"
import { mediaTypeOf, readText } from "../request/RequestBody.ts"

/** The maximum size of a form or JSON body. */
export const formLimitBytes = 4096

const JsonFields = Schema.fromJsonString(Schema.Record(Schema.String, Schema.String))
const decodeJson = Schema.decodeUnknownOption(JsonFields)

/** The fields of a form or JSON body. Missing fields are empty. */
export type Fields = (name: string) => string

/** Reads a form or JSON body. */
export const readFields = Effect.fnUntraced(function* (call: Call, limitBytes: number) {
  const text = yield* readText(call, limitBytes)
  if (mediaTypeOf(call.request.headers["content-type"]) !== "application/json") {
    const form = new URLSearchParams(text)
    return (name: string): string => form.get(name) ?? ""
  }
  const fields = decodeJson(text)
  if (Option.isNone(fields)) return yield* new MalformedBody({ reason: "is not a JSON object of strings" })
  return (name: string): string => fields.value[name] ?? ""
})
