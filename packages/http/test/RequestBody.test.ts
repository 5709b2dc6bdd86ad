import { assert, describe, it } from "@effect/vitest"
import { mediaTypeOf, readText, readTyped } from "@wcs/http/request/RequestBody"
import { Effect, Result } from "effect"
import { callOf } from "./Requests.ts"

const typed = (headers: Readonly<Record<string, string>>, body = "{}") =>
  Effect.result(readTyped(callOf({ body, headers }), ["application/json"], 1000))

const isTaken = (headers: Readonly<Record<string, string>>) => Effect.map(typed(headers), Result.isSuccess)

/** The part of the headers that is refused. */
const refusedPart = (headers: Readonly<Record<string, string>>) =>
  Effect.map(typed(headers), (result) =>
    Result.isFailure(result) && result.failure._tag === "UnsupportedMediaType" ? result.failure.part : undefined
  )

const text = (body: string | Uint8Array) => Effect.result(readText(callOf({ body }), 1000))

describe("the type of a body", () => {
  it.effect.each([
    "application/json",
    "APPLICATION/JSON",
    " application/json ",
    "application/json;charset=utf-8",
    'application/json; charset="UTF-8"',
    "application/json; Charset=utf8",
    "application/json; charset=us-ascii",
    "application/json; profile=x"
  ])("%s is taken", (type) =>
    Effect.gen(function* () {
      assert.isTrue(yield* isTaken({ "content-type": type }))
    })
  )

  it.effect.each([
    "",
    "text/json",
    "application/jsonp",
    "application/json/x",
    "application/problem+json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=application/json",
    "application/json; charset=utf-16",
    "application/json; charset=iso-8859-1",
    'application/json; profile=x; charset="latin1"'
  ])("%j is not", (type) =>
    Effect.gen(function* () {
      assert.isFalse(yield* isTaken({ "content-type": type }))
    })
  )

  it.effect("refuses an encoded body and accepts the encoding identity", () =>
    Effect.gen(function* () {
      assert.isTrue(yield* isTaken({ "content-type": "application/json", "content-encoding": "identity" }))
      for (const encoding of ["gzip", "br", "deflate", "zstd", "identity, gzip"]) {
        assert.isFalse(yield* isTaken({ "content-type": "application/json", "content-encoding": encoding }), encoding)
      }
    })
  )

  it.effect("names the part of the headers that is refused", () =>
    Effect.gen(function* () {
      const json = "application/json"
      assert.strictEqual(yield* refusedPart({ "content-type": "text/xml", "content-encoding": "gzip" }), "type")
      assert.strictEqual(yield* refusedPart({ "content-type": json, "content-encoding": "gzip" }), "coding")
      assert.strictEqual(yield* refusedPart({ "content-encoding": "gzip" }), "coding")
      assert.strictEqual(yield* refusedPart({ "content-type": `${json}; charset=utf-16` }), "charset")
    })
  )

  it.effect("does not matter for an empty body, with and without a Content-Length", () =>
    Effect.gen(function* () {
      const form = { "content-type": "application/x-www-form-urlencoded", "content-encoding": "gzip" }
      for (const headers of [form, { ...form, "content-length": "0" }]) {
        assert.deepStrictEqual(yield* typed(headers, ""), Result.succeed(""))
      }
      assert.strictEqual(yield* refusedPart({ ...form, "content-length": "2" }), "type")
    })
  )

  it.effect("accepts a body without a Content-Type", () =>
    Effect.gen(function* () {
      assert.isTrue(yield* isTaken({}))
      assert.isUndefined(mediaTypeOf(undefined))
      assert.strictEqual(mediaTypeOf("Text/Plain ; charset=utf-8"), "text/plain")
    })
  )
})

describe("the text of a body", () => {
  it.effect("is decoded from UTF-8 without a byte order mark", () =>
    Effect.gen(function* () {
      for (const one of ["", "abc", "Zoë 😀", "\0"]) assert.deepStrictEqual(yield* text(one), Result.succeed(one))
      assert.deepStrictEqual(yield* text(new Uint8Array([0xef, 0xbb, 0xbf, 0x61])), Result.succeed("a"))
    })
  )

  it.effect.each([
    ["a byte of no letter", [0xff]],
    ["a letter that is cut", [0x61, 0xc3]],
    ["a letter spelt too long", [0xc0, 0x80]],
    ["half of a surrogate pair", [0xed, 0xa0, 0x80]],
    ["a letter beyond Unicode", [0xf4, 0x90, 0x80, 0x80]],
    ["UTF-16", [0xff, 0xfe, 0x7b, 0x00]]
  ] as const)("threat 27: %s is refused", ([, bytes]) =>
    Effect.gen(function* () {
      const result = yield* text(new Uint8Array(bytes))
      assert.isTrue(Result.isFailure(result))
      if (Result.isFailure(result)) assert.deepInclude({ ...result.failure }, { reason: "is not valid UTF-8" })
    })
  )
})
