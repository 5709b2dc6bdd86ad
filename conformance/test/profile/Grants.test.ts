import { assert, describe, it } from "@effect/vitest"
import { granted, otherEnding, refusedWith, tokenIn } from "@wcs/conformance/calls/Grants"
import { basicHeaders, clientForm } from "@wcs/conformance/profile/ClientForms"
import { goodClient } from "@wcs/conformance/profile/Principals"
import type { Client, Profile } from "@wcs/conformance/profile/Profile"
import * as fc from "fast-check"
import { exchangeOf } from "../Exchanges.ts"

const answered = (status: number, body: unknown) =>
  exchangeOf({ answer: { status, text: JSON.stringify(body), json: JSON.parse(JSON.stringify(body)) } })

describe("a token request", () => {
  it("OAU-01: contains the grant type, the id and the secret", () => {
    assert.deepStrictEqual(clientForm({ id: "x_oauth_1", secret: "s" }), {
      grant_type: "client_credentials",
      client_id: "x_oauth_1",
      client_secret: "s"
    })
  })

  it("OAU-02: tries the form-encoded Basic header of RFC 6749 first, and the plain one if it differs", () => {
    assert.deepStrictEqual(basicHeaders({ id: "x_oauth_1", secret: "s-._3" }), ["Basic base64(x_oauth_1:s-._3)"])
    assert.deepStrictEqual(basicHeaders({ id: "x_oauth_1", secret: "a+/=: é" }), [
      "Basic base64(x_oauth_1:a%2B%2F%3D%3A+%C3%A9)",
      "Basic base64(x_oauth_1:a+/=: é)"
    ])
  })

  it("OAU-12: uses a wrong secret of the same length", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (secret) => {
        assert.notStrictEqual(otherEnding(secret), secret)
        assert.strictEqual(otherEnding(secret).slice(0, -1), secret.slice(0, -1))
      })
    )
  })
})

describe("the client for judging the token endpoint", () => {
  const first: Client = { clientId: "first", clientSecret: "${FIRST}" }
  const second: Client = { clientId: "second", clientSecret: "${SECOND}" }
  const of = (principals: Profile["principals"]) =>
    goodClient({ name: "x", newer: { tenantBaseUrl: "https://a.example" }, principals })

  it("is the second client if there is one, because the run uses tokens of the first", () => {
    assert.deepStrictEqual(of({ admin: { oauth: first }, secondClient: second }), second)
    assert.deepStrictEqual(of({ admin: { oauth: first } }), first)
    assert.deepStrictEqual(of({ admin: { token: "${TOKEN}" }, secondClient: second }), second)
    assert.isUndefined(of({ admin: { token: "${TOKEN}" } }))
  })
})

describe("a response of the token endpoint", () => {
  const grant = answered(200, { access_token: "a.b.c" })

  it("OAU-01: is a grant only with 200 and a token", () => {
    assert.deepStrictEqual(granted(grant), [])
    assert.strictEqual(tokenIn(grant), "a.b.c")
    const none = [
      answered(201, { access_token: "a.b.c" }),
      answered(200, { access_token: "" }),
      answered(200, { access_token: 7 }),
      answered(200, {}),
      exchangeOf({ answer: { status: 200, text: "<html>", json: undefined } }),
      exchangeOf({ answer: null, silence: "reset" })
    ]
    for (const exchange of none) {
      assert.lengthOf(granted(exchange), 1)
      assert.isUndefined(tokenIn(exchange))
    }
  })

  it("OAU-11: is a refusal only with both the status and the error", () => {
    const refused = (status: number, body: unknown) => refusedWith(answered(status, body), 401, "invalid_client")
    assert.deepStrictEqual(refused(401, { error: "invalid_client", error_description: "x" }), [])
    assert.strictEqual(refused(400, { error: "invalid_client" })[0]?.at, "status")
    assert.strictEqual(refused(401, { error: "invalid_request" })[0]?.at, "body.error")
    assert.strictEqual(refused(401, { message: "no" })[0]?.kind, "missing")
  })
})
