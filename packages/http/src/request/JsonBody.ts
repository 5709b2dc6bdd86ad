import { remarksOn } from "@wcs/domain/resource/UnknownFields"
import { type Decoding, decodeArgument, type InvalidArgument, MalformedBody } from "@wcs/domain/shared/InvalidArgument"
import type { JsonValue } from "@wcs/domain/shared/Json"
import { Effect, Result, type Schema } from "effect"
import type { Call } from "../pipeline/Call.ts"
import { jsonLimitBytes, oversizeOf } from "./JsonSize.ts"
import { readTyped } from "./RequestBody.ts"

/** Above this size, other requests run between two steps with a body. Each step takes some milliseconds for 1 MiB. */
const largeBytes = 64 * 1024

/** Returns the value of a step. After a step with a large body, other requests run first. */
const paced = <A>(characters: number, value: A): Effect.Effect<A> =>
  characters > largeBytes ? Effect.as(Effect.yieldNow, value) : Effect.succeed(value)

const parse = (text: string): Effect.Effect<JsonValue, MalformedBody> => {
  if (text === "") return Effect.fail(new MalformedBody({ reason: "is empty" }))
  const oversize = oversizeOf(text)
  if (oversize !== undefined) return Effect.fail(new MalformedBody({ reason: oversize }))
  return Effect.flatMapEager(paced(text.length, text), () =>
    Effect.flatMapEager(
      Effect.try({
        try: (): JsonValue => JSON.parse(text),
        catch: () => new MalformedBody({ reason: "is not valid JSON" })
      }),
      (value) => paced(text.length, value)
    )
  )
}

const jsonTypes = ["application/json"]

const readAsText = (call: Call, supported: ReadonlyArray<string>) =>
  Effect.flatMap(readTyped(call, supported, jsonLimitBytes), (text) => paced(text.length, text))

/** Reads the body as JSON. Handlers call it after authorization, so refused calls never read the body (PRV-07). */
export const read = (call: Call, supported: ReadonlyArray<string> = jsonTypes) =>
  Effect.flatMap(readAsText(call, supported), parse)

/** Reads the body of PATCH as JSON. */
export const readPatch = (call: Call) => read(call, ["application/merge-patch+json", ...jsonTypes])

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
  return (call: Call) =>
    Effect.flatMap(readAsText(call, jsonTypes), (text) =>
      text === "" ? decode({}) : Effect.flatMap(parse(text), decode)
    )
}

/** Reads and decodes the body. */
export const readAs = <A extends JsonValue, I>(schema: Schema.Codec<A, I>, decoding?: Decoding) => {
  const decode = decodeAs(schema, decoding)
  return (call: Call) => Effect.flatMap(read(call), decode)
}
