import { assert, describe, it } from "@effect/vitest"
import type { Decoding } from "@wcs/domain/shared/InvalidArgument"
import * as JsonBody from "@wcs/http/request/JsonBody"
import { jsonLimitBytes, jsonNodeLimit } from "@wcs/http/request/JsonSize"
import { Effect, Exit, Result, Schema } from "effect"
import * as fc from "fast-check"
import { callOf, type Sent } from "./Requests.ts"

const json = { "content-type": "application/json" }
const read = (sent: Sent) => Effect.result(JsonBody.read(callOf(sent)))
const readText = (body: string) => read({ body, headers: json })

/** Returns the tag and the reason of a refusal. */
const refusalOf = <A, E extends object>(result: Result.Result<A, E>): unknown =>
  Result.isFailure(result) ? { ...result.failure } : result.success

describe("a JSON body", () => {
  it.effect("ENV-04: is malformed when it is empty or not JSON", () =>
    Effect.gen(function* () {
      for (const [text, reason] of [
        ["", "is empty"],
        [" ", "is not valid JSON"],
        ["{}{}", "is not valid JSON"],
        [`[${"0,".repeat(jsonNodeLimit)}0]`, "has more than 5000 values"],
        [`{"a":${"[".repeat(500_000)}`, "is nested more than 32 levels deep"]
      ] as const) {
        assert.deepStrictEqual(refusalOf(yield* readText(text)), { _tag: "MalformedBody", reason })
      }
    })
  )

  it.effect("threat 27: is plain data when a key is repeated or is __proto__", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* readText('{"a":1,"a":2}'), Result.succeed({ a: 2 }))
      const polluting = yield* readText('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}')
      assert.isTrue(Result.isSuccess(polluting))
      assert.notProperty({}, "polluted")
    })
  )

  it.effect("is refused above 1 MiB, by its Content-Length and by its actual size", () =>
    Effect.gen(function* () {
      const limitBytes = jsonLimitBytes
      assert.strictEqual(limitBytes, 1024 * 1024)
      const tooLarge = { _tag: "PayloadTooLarge", limitBytes }
      const ofBytes = (bytes: number) => `"${"a".repeat(bytes - 2)}"`
      assert.isTrue(Result.isSuccess(yield* readText(ofBytes(limitBytes))))
      assert.deepStrictEqual(refusalOf(yield* readText(ofBytes(limitBytes + 1))), tooLarge)
      // The limit counts bytes, not characters.
      assert.deepStrictEqual(refusalOf(yield* readText(`"${"é".repeat(limitBytes / 2)}"`)), tooLarge)
      const announced = { ...json, "content-length": String(limitBytes + 1) }
      assert.deepStrictEqual(refusalOf(yield* read({ body: "{}", headers: announced })), tooLarge)
      const understated = { ...json, "content-length": "2" }
      assert.deepStrictEqual(refusalOf(yield* read({ body: ofBytes(limitBytes + 1), headers: understated })), tooLarge)
    })
  )

  it.effect("TRN-08: is refused before it is read if it is of another type; a patch has two types", () =>
    Effect.gen(function* () {
      const patch = { body: "{", headers: { "content-type": "application/merge-patch+json" } }
      const refused = { _tag: "UnsupportedMediaType", part: "type", supported: ["application/json"] }
      assert.deepStrictEqual(refusalOf(yield* read(patch)), refused)
      for (const sent of [patch, { ...patch, headers: json }]) {
        const result = yield* Effect.result(JsonBody.readPatch(callOf({ ...sent, body: "{}" })))
        assert.deepStrictEqual(result, Result.succeed({}))
      }
    })
  )

  it.effect("ENV-04: is read unchanged if it is JSON, else refused, for any bytes", () =>
    Effect.gen(function* () {
      const bodies = fc.oneof(
        fc.uint8Array({ maxLength: 200 }),
        fc.json().map((text) => new TextEncoder().encode(text)),
        fc.string({ unit: "binary" }).map((text) => new TextEncoder().encode(text))
      )
      const property = fc.asyncProperty(bodies, async (body) => {
        const exit = await Effect.runPromiseExit(read({ body, headers: json }))
        assert.isTrue(Exit.isSuccess(exit))
        const parsed = Result.try((): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)))
        const value = Exit.isSuccess(exit) ? Result.getOrUndefined(exit.value) : undefined
        assert.deepStrictEqual(value, Result.getOrUndefined(parsed))
      })
      yield* Effect.promise(() => fc.assert(property, { numRuns: 500 }))
    })
  )

  it.effect("ENV-05, ENV-06: is refused with every wrong field and the accepted shapes", () =>
    Effect.gen(function* () {
      const Shape = Schema.Struct({ to: Schema.Struct({ id: Schema.String }), count: Schema.Int })
      const decoded = (body: unknown, decoding: Decoding = {}) =>
        Effect.result(JsonBody.decodeAs(Shape, decoding)(JSON.parse(JSON.stringify(body))))
      const fieldsOf = Effect.fnUntraced(function* (body: unknown, decoding?: Decoding) {
        const result = yield* decoded(body, decoding)
        if (Result.isSuccess(result)) return []
        const { field, others = [], shapes } = result.failure
        assert.deepStrictEqual(shapes, decoding?.shapes)
        return [field, ...others.map((other) => other.field)]
      })
      assert.deepStrictEqual(
        yield* decoded({ to: { id: "a" }, count: 1 }),
        Result.succeed({ value: { to: { id: "a" }, count: 1 }, warnings: [] })
      )
      assert.deepStrictEqual(
        yield* decoded({ to: { id: "a", type: 1 }, count: 1, more: [] }, { within: "body" }),
        Result.succeed({
          value: { to: { id: "a" }, count: 1 },
          warnings: ["unknown field ignored: body.to.type", "unknown field ignored: body.more"]
        })
      )
      assert.deepStrictEqual(yield* fieldsOf({ to: { id: 1 }, count: 1 }), ["to.id"])
      assert.deepStrictEqual(yield* fieldsOf({ to: {}, count: 1 }), ["to.id"])
      assert.deepStrictEqual(yield* fieldsOf({ to: { id: "a" } }), ["count"])
      assert.deepStrictEqual(yield* fieldsOf({}), ["to.id", "count"])
      assert.deepStrictEqual(yield* fieldsOf([]), [""])
      const decoding = { within: "body", shapes: ["{}"] }
      assert.deepStrictEqual(yield* fieldsOf({ to: { id: 1 }, count: "1" }, decoding), ["body.to.id", "body.count"])
    })
  )
})
