import { remarksOn } from "@wcs/domain/resource/UnknownFields"
import { type Decoding, decodeArgument, type InvalidArgument, MalformedBody } from "@wcs/domain/shared/InvalidArgument"
import type { JsonValue } from "@wcs/domain/shared/Json"
import { Effect, Result, type Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { jsonLimitBytes, oversizeOf } from "./JsonSize.ts"
import { readText, requireMediaType } from "./RequestBody.ts"

const parse = (text: string): Effect.Effect<JsonValue, MalformedBody> => {
  if (text === "") return Effect.fail(new MalformedBody({ reason: "is empty" }))
  const oversize = oversizeOf(text)
  if (oversize !== undefined) return Effect.fail(new MalformedBody({ reason: oversize }))
  return Effect.try({
    try: (): JsonValue => JSON.parse(text),
    catch: () => new MalformedBody({ reason: "is not valid JSON" })
  })
}

const readAsText = Effect.fnUntraced(function* (supported: ReadonlyArray<string> = ["application/json"]) {
  const request = yield* HttpServerRequest.HttpServerRequest
  yield* requireMediaType(request, supported)
  return yield* readText(request, jsonLimitBytes)
})

/** Reads the body as JSON. Handlers call it after authorization, so refused calls never read the body (PRV-07). */
export const read = (supported?: ReadonlyArray<string>) => Effect.flatMap(readAsText(supported), parse)

/** Reads an optional body as JSON. Returns `undefined` if absent. */
const readOptional = Effect.flatMap(readAsText(), (text) => (text === "" ? Effect.succeed(undefined) : parse(text)))

/** A decoded body, with warnings about unknown fields. */
export interface Understood<A> {
  readonly value: A
  readonly warnings: ReadonlyArray<string>
}

/** Decodes JSON. Fails with every wrong field. */
export const decodeAs = <A extends JsonValue, I>(schema: Schema.Codec<A, I>, decoding: Decoding = {}) => {
  const decode = decodeArgument(schema, decoding)
  const place = decoding.within === undefined ? [] : [decoding.within]
  return (body: JsonValue): Effect.Effect<Understood<A>, InvalidArgument> =>
    Effect.fromResult(Result.map(decode(body), (value) => ({ value, warnings: remarksOn(body, value, place) })))
}

/** Reads and decodes an optional body. An absent body counts as an empty object. */
export const readOptionalAs = <A extends JsonValue, I>(schema: Schema.Codec<A, I>) => {
  const decode = decodeAs(schema)
  return Effect.flatMap(readOptional, (body = {}) => decode(body))
}

/** Reads and decodes the body. */
export const readAs = <A extends JsonValue, I>(schema: Schema.Codec<A, I>, decoding?: Decoding) =>
  Effect.flatMap(read(), decodeAs(schema, decoding))
