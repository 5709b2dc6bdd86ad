import { assert, describe, it } from "@effect/vitest"
import { clientOf, read, repeatedParameter } from "@wcs/http/handlers/GrantForm"
import { Option, Redacted } from "effect"
import * as fc from "fast-check"

const encoded = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`
const basic = (id: string, secret: string) => encoded(`${id}:${secret}`)
const form = (fields: Readonly<Record<string, string>>) => new URLSearchParams(fields)
const formEncoded = (text: string) => new URLSearchParams({ a: text }).toString().slice(2)

/** Id and secret as text. Undefined if no client is named. */
const named = (fields: Readonly<Record<string, string>>, authorization?: string) =>
  Option.getOrUndefined(
    Option.map(
      clientOf(form(fields), authorization),
      ({ clientId, clientSecret }) => `${clientId} ${Redacted.value(clientSecret)}`
    )
  )

/** Rows: case, body, header, expected client (§4.2; DECISIONS.md#access). */
const table = [
  ["both in the body", { client_id: "body", client_secret: "b" }, undefined, "body b"],
  ["both in the header", {}, basic("header", "h"), "header h"],
  ["both in both: the body wins", { client_id: "body", client_secret: "b" }, basic("header", "h"), "body b"],
  ["the same id in both: the body wins", { client_id: "x", client_secret: "b" }, basic("x", "h"), "x b"],
  ["both in the body beside a header of no sense", { client_id: "body", client_secret: "b" }, "Basic %", "body b"],
  ["both in the body beside another scheme", { client_id: "body", client_secret: "b" }, "Bearer b", "body b"],
  ["the same id alone in the body", { client_id: "header" }, basic("header", "h"), "header h"],
  ["another id alone in the body", { client_id: "body" }, basic("header", "h"), undefined],
  ["a secret alone in the body", { client_secret: "b" }, basic("header", "h"), undefined],
  ["the header's own secret alone in the body", { client_secret: "h" }, basic("header", "h"), undefined],
  ["an id alone", { client_id: "body" }, undefined, undefined],
  ["a secret alone", { client_secret: "b" }, undefined, undefined],
  ["nothing", {}, undefined, undefined],
  ["empty fields beside a header", { client_id: "", client_secret: "" }, basic("header", "h"), "header h"],
  ["an empty secret beside the same id", { client_id: "header", client_secret: "" }, basic("header", "h"), "header h"],
  ["an empty id beside a secret", { client_id: "", client_secret: "b" }, basic("header", "h"), undefined],
  ["a header without a colon", {}, encoded("header"), undefined],
  ["a header that is no base64", {}, "Basic !", undefined],
  ["a header without credentials", {}, "Basic", undefined],
  ["a header with two credentials", {}, `${basic("header", "h")} ${basic("header", "h")}`, undefined],
  ["a header of another scheme", {}, basic("header", "h").replace("Basic", "Bearer"), undefined],
  ["a scheme in another letter case", {}, basic("header", "h").replace("Basic", "bAsIc"), "header h"],
  ["a secret with colons", {}, basic("header", "h:h:"), "header h:h:"],
  ["a percent sign that begins no escape", {}, basic("header", "100%"), "header 100%"]
] as const

describe("the client of a token request", () => {
  it.each(table)("OAU-07, OAU-08, threat 11: %s", (_what, fields, authorization, expected) => {
    assert.strictEqual(named(fields, authorization), expected)
  })

  it("OAU-02, threat 12: reads raw and form-encoded Basic credentials of our clients alike", () => {
    const letters = fc.string({ unit: fc.constantFrom(..."abcXYZ019_"), minLength: 1, maxLength: 50 })
    fc.assert(
      fc.property(letters, letters, (id, secret) => {
        assert.strictEqual(named({}, basic(id, secret)), `${id} ${secret}`)
        assert.strictEqual(named({}, basic(formEncoded(id), formEncoded(secret))), `${id} ${secret}`)
      })
    )
  })

  it("OAU-02: RFC 6749, section 2.3.1: reads any text in form-encoded Basic credentials", () => {
    const text = fc.string({ unit: "grapheme", minLength: 1 }).filter((one) => one.isWellFormed())
    fc.assert(
      fc.property(text, text, (id, secret) => {
        assert.strictEqual(named({}, basic(formEncoded(id), formEncoded(secret))), `${id} ${secret}`)
      })
    )
  })

  it("OAU-07: ignores the header when the body has full credentials, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.boolean(), (text, isEncoded) => {
        const authorization = isEncoded ? encoded(text) : text
        assert.strictEqual(named({ client_id: "body", client_secret: "b" }, authorization), "body b")
        clientOf(form({}), authorization)
      })
    )
  })
})

describe("the grant of a token request", () => {
  it("OAU-09, OAU-10: returns the grant, or none when absent or empty", () => {
    assert.strictEqual(read(form({ grant_type: "client_credentials" }), undefined).grantType, "client_credentials")
    assert.strictEqual(read(form({ grant_type: " client_credentials" }), undefined).grantType, " client_credentials")
    assert.isUndefined(read(form({}), undefined).grantType)
    assert.isUndefined(read(form({ grant_type: "" }), undefined).grantType)
  })

  it("OAU-14: reports whether Basic was used, even when malformed", () => {
    const attempts = ["Basic", "basic ", "BASIC !", basic("a", "b"), "Basic\tx"]
    const others = [undefined, "", "Bearer x", "Basically", "xBasic y"]
    for (const header of attempts) assert.isTrue(read(form({}), header).viaBasic, header)
    for (const header of others) assert.isFalse(read(form({}), header).viaBasic, header)
    assert.isTrue(read(form({ client_id: "body", client_secret: "b" }), basic("a", "b")).viaBasic)
  })

  it("RFC 6749, section 3.2: finds a repeated parameter with equal or different values", () => {
    assert.isUndefined(repeatedParameter(new URLSearchParams("a=1&b=1&A=1")))
    assert.strictEqual(repeatedParameter(new URLSearchParams("a=1&b=1&a=2")), "a")
    assert.strictEqual(repeatedParameter(new URLSearchParams("a=1&b=1&b=1&a=1")), "b")
    assert.strictEqual(repeatedParameter(new URLSearchParams("a&a")), "a")
    assert.strictEqual(repeatedParameter(new URLSearchParams("client%5Fid=1&client_id=2")), "client_id")
  })
})
