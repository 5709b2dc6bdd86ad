import { generateKeyPairSync } from "node:crypto"
import { deflateRawSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import * as Saml from "@wcs/conformance/walks/access/Saml"
import { exchangeOf } from "../Exchanges.ts"

const xml = '<p:AuthnRequest xmlns:p="urn:oasis:names:tc:SAML:2.0:protocol" ID="_1" Version="2.0"/>'

const redirected = (message: Buffer) => {
  const query = new URLSearchParams({ SAMLRequest: deflateRawSync(message).toString("base64"), RelayState: "a&b" })
  const location = `https://idp.example/sso?${query}`
  return exchangeOf({
    kind: "web",
    url: "https://tenant.example/login",
    answer: { status: 302, headers: { location } }
  })
}

const formed = (form: string) => exchangeOf({ kind: "web", answer: { status: 200, text: `<body>${form}</body>` } })

describe("an AuthnRequest", () => {
  it("is found in a redirect", () => {
    const brought = { url: "https://idp.example/sso", xml, relayState: "a&b" }
    assert.deepStrictEqual(Saml.broughtBy(redirected(Buffer.from(xml))), brought)
  })

  it("is found in a form, in any notation of its attributes", () => {
    const message = Buffer.from(xml).toString("base64")
    const form =
      '<form action="/search"><input name=q></form>' +
      `<FORM method=post action='https://idp.example/sso?a=1&amp;b=2'><input type=hidden value='${message}' name=SAMLRequest>` +
      '<input name="RelayState" value="a&amp;&#x62;"/></FORM>'
    const brought = { url: "https://idp.example/sso", xml, relayState: "a&b" }
    assert.deepStrictEqual(Saml.broughtBy(formed(form)), brought)
  })

  it("is not read when it is too long or not compressed", () => {
    assert.isUndefined(Saml.broughtBy(redirected(Buffer.alloc(1_000_000, " ")))?.xml)
    const location = "https://idp.example/sso?SAMLRequest=AAAA"
    const exchange = exchangeOf({ kind: "web", answer: { status: 302, headers: { location } } })
    assert.deepStrictEqual(Saml.broughtBy(exchange), {
      url: "https://idp.example/sso",
      xml: undefined,
      relayState: undefined
    })
  })

  it("is not found in other answers", () => {
    for (const exchange of [formed("<form><input name=other></form>"), exchangeOf({ answer: null })]) {
      assert.isUndefined(Saml.broughtBy(exchange))
    }
  })
})

describe("a SAML response", () => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const said = {
    request: { id: "_1", issuer: "https://tenant.example/me&you", consumerUrl: "https://tenant.example/acs?a=1&b=2" },
    login: {
      start: "/login",
      identityProvider: { entityId: "https://idp.example", url: "https://idp.example/sso", key: "${KEY}" },
      user: { nameId: "ann", attributes: { email: "ann@example.org" } }
    },
    now: Date.parse("2030-01-01T00:00:00Z")
  }
  const readBack = (as: Parameters<typeof Saml.responseOf>[2]) =>
    Buffer.from(Saml.responseOf(said, privateKey, as), "base64").toString()
  const count = (text: string, part: string) => text.split(part).length - 1

  it("is signed twice, or not at all", () => {
    assert.strictEqual(count(readBack("honest"), "<ds:Signature "), 2)
    assert.strictEqual(count(readBack("unsigned"), "<ds:Signature "), 0)
  })

  it("names the user, even when another name was signed", () => {
    for (const as of ["honest", "altered", "unsigned"] as const) assert.include(readBack(as), ">ann</saml:NameID>")
  })

  it("escapes the values of the request", () => {
    assert.include(readBack("honest"), 'Recipient="https://tenant.example/acs?a=1&amp;b=2"')
    assert.include(readBack("honest"), "<saml:Audience>https://tenant.example/me&amp;you</saml:Audience>")
  })

  it("accepts an RSA key in PEM only", () => {
    const other = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
    const pem = (key: typeof other) => key.export({ type: "pkcs8", format: "pem" }).toString()
    assert.isDefined(Saml.keyIn(pem(privateKey)))
    assert.isUndefined(Saml.keyIn(pem(other)))
    assert.isUndefined(Saml.keyIn("no key"))
  })
})
