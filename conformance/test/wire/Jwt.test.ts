import { assert, describe, it } from "@effect/vitest"
import { altered, forgeriesOf, jwtOf } from "@wcs/conformance/wire/Jwt"
import { lifetimeOf, shapeOf } from "@wcs/conformance/wire/SecretShape"
import * as fc from "fast-check"

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
const token = `${part({ alg: "EdDSA" })}.${part({ sub: "a", iat: 100, exp: 3700 })}.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg`

describe("a decoded token (OAU-03)", () => {
  it("is a JWT when it has three parts, two of them JSON objects", () => {
    assert.deepStrictEqual(jwtOf(token)?.payload, { sub: "a", iat: 100, exp: 3700 })
  })

  it("is not a JWT with more or fewer parts, an empty part, or parts that are not objects", () => {
    const [header, payload, signature] = token.split(".")
    const none = [
      "opaque",
      `${header}.${payload}`,
      `${header}.${payload}.`,
      `${token}.${signature}`,
      `${header}..${signature}`,
      `${part([1])}.${payload}.${signature}`,
      `${header}.${part("text")}.${signature}`,
      `${header}.bm8ganNvbg.${signature}`,
      "a.b.c",
      `${token} `
    ]
    for (const text of none) assert.isUndefined(jwtOf(text), text)
  })

  it("has a lifetime when it has both times", () => {
    assert.strictEqual(lifetimeOf(shapeOf(token)), 3600)
    assert.isUndefined(lifetimeOf({ ...shapeOf(token), jwt: { iat: null, exp: 3700 } }))
  })
})

describe("forgeries (AUT-04)", () => {
  it("of a JWT are truncated, changed and unsigned, and never equal the token", () => {
    const made = forgeriesOf(token)
    assert.strictEqual(new Set(made).size, 7)
    assert.isFalse(made.includes(token))
  })

  it("without a signature have alg none and the same claims", () => {
    const unsigned = forgeriesOf(token).slice(-2)
    for (const forged of unsigned) {
      const [header = "", payload] = forged.split(".")
      assert.deepStrictEqual(JSON.parse(Buffer.from(header, "base64url").toString()), { alg: "none" })
      assert.strictEqual(payload, token.split(".")[1])
    }
  })

  it("have another payload with the same signature, or another signature with the same payload", () => {
    const [, , payloads = "", signatures = ""] = forgeriesOf(token)
    const [header, payload, signature] = token.split(".")
    const [first, changed, kept] = payloads.split(".")
    assert.deepStrictEqual([first, kept], [header, signature])
    assert.notStrictEqual(changed, payload)
    const [second, claims, other] = signatures.split(".")
    assert.deepStrictEqual([second, claims], [header, payload])
    const bytes = (text = "") => Buffer.from(text, "base64url").toString("hex")
    assert.notStrictEqual(bytes(other), bytes(signature))
  })

  it("of an opaque token differ in one character, in length or in case", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: "grapheme-ascii" }), (text) => {
        const other = altered(text)
        assert.strictEqual(other.length, text.length)
        assert.strictEqual([...text].filter((char, index) => char !== other[index]).length, 1)
      })
    )
    assert.deepStrictEqual(forgeriesOf("opaque"), ["opaAue", "opaqueA", "opaqu", "OPAQUE"])
  })
})
