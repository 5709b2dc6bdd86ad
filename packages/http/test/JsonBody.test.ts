import { assert, describe, it } from "@effect/vitest"
import type { Decoding } from "@wcs/domain/shared/InvalidArgument"
import * as JsonBody from "@wcs/http/request/JsonBody"
import { jsonDepthLimit, jsonLimitBytes, jsonNodeLimit } from "@wcs/http/request/JsonSize"
import { Effect, Exit, Result, Schema } from "effect"
import * as fc from "fast-check"
import { callOf, type Sent } from "./Requests.ts"

const json = { "content-type": "application/json" }
const read = (sent: Sent, supported?: ReadonlyArray<string>) => Effect.result(JsonBody.read(callOf(sent), supported))
const readText = (body: string) => read({ body, headers: json })

const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth)

/** Returns the tag and the reason of a refusal. */
const refusalOf = <A, E extends object>(result: Result.Result<A, E>): unknown =>
  Result.isFailure(result) ? { ...result.failure } : result.success

describe("a JSON body", () => {
  it.effect("ENV-04: is read unchanged", () =>
    Effect.gen(function* () {
      for (const text of ["{}", "[]", "null", "0", '"a"', "true", ' {"a" : [1, {"b": null}] }\n', '"\\ud83d\\ude00"']) {
        assert.deepStrictEqual(yield* readText(text), Result.succeed(JSON.parse(text)), text)
      }
    })
  )

  it.effect.each([
    "",
    " ",
    "{",
    "}",
    "nonsense",
    "{'a':1}",
    "{a:1}",
    "[1,]",
    "01",
    "NaN",
    "undefined",
    '"\n"',
    "{}{}",
    "\0"
  ])("ENV-04: %j is malformed", (text) =>
    Effect.gen(function* () {
      const result = yield* readText(text)
      const reason = text === "" ? "is empty" : "is not valid JSON"
      assert.deepStrictEqual(refusalOf(result), { _tag: "MalformedBody", reason })
    })
  )

  it.effect("threat 27: is refused above 32 levels of objects and arrays", () =>
    Effect.gen(function* () {
      const limit = jsonDepthLimit
      assert.strictEqual(limit, 32)
      const tooDeep = { _tag: "MalformedBody", reason: "is nested more than 32 levels deep" }
      const object = (depth: number) => nested(depth, '{"a":', "}").replace('"a":}', "}")
      for (const text of [
        nested(limit, "[", "]"),
        object(limit),
        `[${"0,".repeat(1000)}${nested(limit - 1, "[", "]")}]`
      ]) {
        assert.isTrue(Result.isSuccess(yield* readText(text)))
      }
      for (const text of [
        nested(limit + 1, "[", "]"),
        object(limit + 1),
        `[${"0,".repeat(1000)}${nested(limit, "[", "]")}]`,
        nested(500_000, "[", "]"),
        `{"a":${nested(100_000, "[", "]")}}`
      ]) {
        assert.deepStrictEqual(refusalOf(yield* readText(text)), tooDeep)
      }
    })
  )

  it.effect("threat 43: is read with 5,000 values and refused with one more", () =>
    Effect.gen(function* () {
      const withKeys = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, index]))
      const most = withKeys(jsonNodeLimit - 1)
      assert.deepStrictEqual(yield* readText(JSON.stringify(most)), Result.succeed(most))
      const tooMany = { _tag: "MalformedBody", reason: "has more than 5000 values" }
      for (const count of [jsonNodeLimit, 50_000]) {
        assert.deepStrictEqual(refusalOf(yield* readText(JSON.stringify(withKeys(count)))), tooMany)
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

  it.effect(
    "TRN-08: is refused before it is read when the type is unsupported; merge-patch is accepted where declared",
    () =>
      Effect.gen(function* () {
        const unsupported = (supported: ReadonlyArray<string>) => ({
          _tag: "UnsupportedMediaType",
          part: "type",
          supported
        })
        for (const type of [
          "application/x-www-form-urlencoded",
          "text/plain",
          "application/merge-patch+json",
          "nonsense"
        ]) {
          const result = yield* read({ body: "{", headers: { "content-type": type } })
          assert.deepStrictEqual(refusalOf(result), unsupported(["application/json"]), type)
        }
        const both = ["application/merge-patch+json", "application/json"]
        for (const type of both) {
          assert.deepStrictEqual(
            yield* read({ body: "{}", headers: { "content-type": type } }, both),
            Result.succeed({})
          )
        }
        const result = yield* read({ body: "{}", headers: { "content-type": "text/plain" } }, both)
        assert.deepStrictEqual(refusalOf(result), unsupported(both))
      })
  )

  it.effect("is read or refused for any bytes, without an internal error", () =>
    Effect.gen(function* () {
      const bodies = fc.oneof(
        fc.uint8Array({ maxLength: 200 }),
        fc.json().map((text) => new TextEncoder().encode(text)),
        fc.string({ unit: "binary" }).map((text) => new TextEncoder().encode(text))
      )
      const property = fc.asyncProperty(bodies, async (body) => {
        const exit = await Effect.runPromiseExit(read({ body, headers: json }))
        assert.isTrue(Exit.isSuccess(exit))
        const isJson = Result.isSuccess(
          Result.try((): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)))
        )
        assert.strictEqual(Exit.isSuccess(exit) && Result.isSuccess(exit.value), isJson)
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
