import { generateKeyPairSync, type KeyObject, verify } from "node:crypto"
import { promisify } from "node:util"
import { inflateRawSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { layer as idsLayer } from "@wcs/domain/shared/Id"
import * as AuthnRequest from "@wcs/saml/AuthnRequest"
import type { Connection } from "@wcs/saml/Connection"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import { parseRequest } from "samlp"
import { acsUrl, connection, now, spEntityId } from "./corpus/Forge.ts"
import { current } from "./corpus/Keys.ts"

const ids = Layer.provide(idsLayer, SecureRandom.layerWebCrypto)

const create = (options: AuthnRequest.AuthnRequestOptions = {}, to: Connection = connection) =>
  Effect.andThen(TestClock.setTime(now), Effect.provide(AuthnRequest.create(to, options), ids))

const withSsoUrl = (ssoUrl: string): Connection => ({
  ...connection,
  identityProvider: { ...connection.identityProvider, ssoUrl }
})
const queryOf = (url: string) => new URL(url).searchParams
const xmlOf = (url: string) => inflateRawSync(Buffer.from(queryOf(url).get("SAMLRequest") ?? "", "base64")).toString()

/** Parses the request with samlp, which verifies its signature if a certificate is given. */
const readBySamlp = (url: string, signingCert?: string) => {
  const query = Object.fromEntries(queryOf(url))
  const request = { method: "GET", query, originalUrl: url.slice(new URL(url).origin.length) }
  const options =
    signingCert === undefined
      ? {}
      : {
          signingCert,
          signature: query["Signature"] ?? "",
          sigAlg: query["SigAlg"] ?? "",
          relayState: query["RelayState"] ?? ""
        }
  return Effect.promise(() => promisify(parseRequest)(request, options))
}

describe("a login request", () => {
  it.effect("is parsed by samlp as intended", () =>
    Effect.gen(function* () {
      const { pending, url } = yield* create()
      const request = yield* readBySamlp(url)
      assert.strictEqual(request.id, pending.requestId)
      assert.strictEqual(request.issuer, spEntityId)
      assert.strictEqual(request.assertionConsumerServiceURL, acsUrl)
      assert.strictEqual(request.destination, connection.identityProvider.ssoUrl)
      assert.isUndefined(request.forceAuthn)
      assert.strictEqual(queryOf(url).get("RelayState"), pending.relayState)
    })
  )

  it.effect("requests a persistent name and a post, at the clock's time", () =>
    Effect.gen(function* () {
      const xml = xmlOf((yield* create()).url)
      assert.include(xml, `IssueInstant="${new Date(now).toISOString()}"`)
      assert.include(xml, 'ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"')
      assert.include(xml, 'Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent" AllowCreate="true"')
    })
  )

  it.effect("requests a new authentication if told to", () =>
    Effect.gen(function* () {
      const request = yield* readBySamlp((yield* create({ forceAuthn: true })).url)
      assert.strictEqual(request.forceAuthn, "true")
    })
  )

  it.effect("has an id and a RelayState of 32 random characters each, never the same", () =>
    Effect.gen(function* () {
      const made = yield* Effect.forEach(Array.from({ length: 100 }), () => create())
      const secrets = made.flatMap(({ pending }) => [pending.requestId.slice(1), pending.relayState])
      for (const secret of secrets) assert.match(secret, /^[0-9A-Za-z]{32}$/)
      for (const { pending } of made) assert.match(pending.requestId, /^_/)
      assert.strictEqual(new Set(secrets).size, 200)
    })
  )

  it.effect("keeps the query of the single sign-on URL", () =>
    Effect.gen(function* () {
      const { url } = yield* create({}, withSsoUrl("https://idp.example.org/sso?idp=1&a=%20"))
      assert.match(url, /^https:\/\/idp\.example\.org\/sso\?idp=1&a=%20&SAMLRequest=/)
    })
  )

  it.effect("escapes names and URLs in its XML", () =>
    Effect.gen(function* () {
      const serviceProvider = { entityId: 'urn:a<b>&"c"', acsUrl: "https://acme.example.com/acs?a=b&c='d'" }
      const request = yield* readBySamlp((yield* create({}, { ...connection, serviceProvider })).url)
      assert.strictEqual(request.issuer, serviceProvider.entityId)
      assert.strictEqual(request.assertionConsumerServiceURL, serviceProvider.acsUrl)
    })
  )

  describe("when it is signed", () => {
    const isSigned = (url: string, publicKey: KeyObject) => {
      const query = new URL(url).search.slice(1)
      const [signed = "", signature = ""] = query.split("&Signature=")
      return verify("sha256", Buffer.from(signed), publicKey, Buffer.from(decodeURIComponent(signature), "base64"))
    }

    it.effect("is accepted by samlp with our certificate", () =>
      Effect.gen(function* () {
        const { pending, url } = yield* create({ signingKey: current.key })
        assert.strictEqual((yield* readBySamlp(url, current.pem)).id, pending.requestId)
      })
    )

    it.effect("is signed over request, RelayState and algorithm", () =>
      Effect.gen(function* () {
        const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
        const { pending, url } = yield* create({ signingKey: privateKey })
        assert.isTrue(isSigned(url, publicKey))
        assert.isFalse(isSigned(url.replace(pending.relayState, "another"), publicKey))
        assert.deepStrictEqual([...queryOf(url).keys()], ["SAMLRequest", "RelayState", "SigAlg", "Signature"])
      })
    )
  })
})
