import { assert, describe, it } from "@effect/vitest"
import { cookieOf, trimmed } from "@wcs/http/request/FieldValue"
import { mediaTypeOf } from "@wcs/http/request/RequestBody"

const name = "__Host-wcs"

describe("threat 32: names and values of headers are compared by bytes", () => {
  const cookies: ReadonlyArray<readonly [header: string | undefined, value: string]> = [
    ["__Host-wcs=a", "a"],
    ["b=1;\t__Host-wcs = a ; c=2", "a"],
    ["__Host-wcs=a; __Host-wcs=b", "a"],
    ["__Host-wcs=a=b", "a=b"],
    ["__Host-wcs", ""],
    ["\u00a0__Host-wcs=a", ""],
    ["__Host-wcs\u00a0=a", ""],
    ["\u0085__Host-wcs=a", ""],
    ["\v__Host-wcs=a", ""],
    ["__host-wcs=a", ""],
    ["__Host-wcs=\u00a0a", "\u00a0a"],
    ["x=\u00a0; __Host-wcs=a", "a"],
    [undefined, ""]
  ]
  it.each(cookies)("the cookie of %j is %j", (header, value) => {
    assert.strictEqual(cookieOf(header, name), value)
  })

  it("only spaces and tabs around a value are ignored", () => {
    assert.strictEqual(trimmed(" \ta \t"), "a")
    assert.strictEqual(trimmed("\u00a0a\v\f\r\n"), "\u00a0a\v\f\r\n")
    assert.strictEqual(mediaTypeOf(" Application/JSON ; charset=utf-8"), "application/json")
    assert.strictEqual(mediaTypeOf("\u00a0application/json"), "\u00a0application/json")
  })
})
