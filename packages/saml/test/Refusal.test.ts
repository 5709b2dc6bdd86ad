import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { check } from "./Check.ts"
import { connection, issued, persistent, responseXml, toBase64, usualResponse } from "./corpus/Forge.ts"
import { postOf } from "./corpus/Hostile.ts"
import { certificateOf, current } from "./corpus/Keys.ts"

describe("the sentence for a refusal", () => {
  it("truncates text of an attacker", () => {
    const flood = `https://evil.example.org/${"a".repeat(5000)}`
    const checked = check(postOf(toBase64(issued({ issuer: `<saml:Issuer>${flood}</saml:Issuer>` }))))
    assert.isTrue(Result.isFailure(checked) && checked.failure.message.length < 500)
  })

  it("has the reason why the identity provider refused a login, although such a response has no assertion", () => {
    const status = "urn:oasis:names:tc:SAML:2.0:status:"
    const xml = responseXml(
      {
        status:
          `<samlp:Status><samlp:StatusCode Value="${status}Responder"><samlp:StatusCode Value="${status}AuthnFailed"/>` +
          "</samlp:StatusCode><samlp:StatusMessage>Account locked</samlp:StatusMessage><samlp:StatusDetail/></samlp:Status>"
      },
      ""
    )
    const checked = check(postOf(toBase64(xml)))
    assert.deepStrictEqual(Result.isFailure(checked) ? checked.failure.reason : undefined, {
      _tag: "StatusNotSuccess",
      status: `${status}Responder`,
      detail: `${status}AuthnFailed`,
      message: "Account locked"
    })
  })

  it("names the certificate of a new key, so that an administrator can compare it", () => {
    const identityProvider = { ...connection.identityProvider, certificates: [] }
    const checked = check(postOf(toBase64(usualResponse()), { connection: { ...connection, identityProvider } }))
    const message = Result.isFailure(checked) ? checked.failure.message : ""
    assert.include(message, `fingerprint ${certificateOf(current).fingerprint}.`)
  })
})

describe("any text at all", () => {
  const xmlish = fc.array(
    fc.constantFrom(
      "<",
      ">",
      "/",
      "samlp:Response",
      "saml:Assertion",
      "ds:Signature",
      " ",
      '"',
      "=",
      "&",
      "&amp;",
      "a",
      "é",
      "\0",
      "<!--",
      "-->",
      `Format="${persistent}"`
    ),
    { maxLength: 40 }
  )
  it("is refused, and never throws", () => {
    fc.assert(fc.property(fc.string(), (field) => assert.isTrue(Result.isFailure(check(postOf(field))))))
    fc.assert(fc.property(xmlish, (parts) => assert.isTrue(Result.isFailure(check(postOf(toBase64(parts.join(""))))))))
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) =>
        assert.isTrue(Result.isFailure(check(postOf(toBase64(bytes)))))
      )
    )
  })
})
