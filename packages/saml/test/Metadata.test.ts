import { assert, describe, it } from "@effect/vitest"
import * as IdentityProviderMetadata from "@wcs/saml/IdentityProviderMetadata"
import { parse } from "@wcs/saml/Parsing"
import type { UploadReason, UploadRefused } from "@wcs/saml/Refusal"
import { toXml } from "@wcs/saml/ServiceProviderMetadata"
import { bytesMax } from "@wcs/saml/TextGate"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { acsUrl, idpEntityId, instant, now, spEntityId } from "./corpus/Forge.ts"
import { attacker, certificateOf, current, elliptic, next, type SigningKey, short } from "./corpus/Keys.ts"
import { readRecording } from "./Recording.ts"

const read = (file: string | Uint8Array) =>
  Effect.andThen(TestClock.setTime(now), IdentityProviderMetadata.read(Buffer.from(file)))

const bare = ({ pem }: SigningKey) => pem.replace(/-----[^-]+-----|\s/g, "")
const keyOf = (key: SigningKey, use = ' use="signing"') =>
  `<md:KeyDescriptor${use}><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${bare(key)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`
const service = (binding = "HTTP-Redirect", location = "https://idp.example.org/sso") =>
  `<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:${binding}" Location="${location}"/>`

interface Parts {
  readonly entity: string
  readonly role: string
  readonly keys: string
  readonly services: string
}
const metadata = (parts: Partial<Parts> = {}): string => {
  const { entity, keys, role, services } = {
    entity: `entityID="${idpEntityId}"`,
    role: 'protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"',
    keys: keyOf(current),
    services: service(),
    ...parts
  }
  return `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" ${entity}><md:IDPSSODescriptor ${role}>${keys}${services}</md:IDPSSODescriptor></md:EntityDescriptor>`
}

const fingerprints = (keys: ReadonlyArray<SigningKey>) => keys.map((key) => certificateOf(key).fingerprint)

describe("an identity provider's metadata", () => {
  it.effect("gives its name, its URL and its certificates", () =>
    Effect.gen(function* () {
      const provider = yield* read(metadata())
      assert.deepStrictEqual(provider, {
        entityId: idpEntityId,
        ssoUrl: "https://idp.example.org/sso",
        certificates: [certificateOf(current)],
        wantsSignedRequests: false
      })
    })
  )

  it.effect("gives each signing certificate once, and none for encryption", () =>
    Effect.gen(function* () {
      const keys = keyOf(current) + keyOf(next, "") + keyOf(current) + keyOf(attacker, ' use="encryption"')
      const { certificates } = yield* read(metadata({ keys }))
      assert.deepStrictEqual(
        certificates.map(({ fingerprint }) => fingerprint),
        fingerprints([current, next])
      )
    })
  )

  it.effect("reports that requests must be signed", () =>
    Effect.gen(function* () {
      const role =
        'WantAuthnRequestsSigned="true" protocolSupportEnumeration="urn:a urn:oasis:names:tc:SAML:2.0:protocol"'
      assert.isTrue((yield* read(metadata({ role }))).wantsSignedRequests)
    })
  )

  it.effect("is read with a byte order mark, other bindings and other roles", () =>
    Effect.gen(function* () {
      const file = metadata({ services: service("HTTP-POST", "http://evil.example.org/") + service() })
      const role = '<md:SPSSODescriptor protocolSupportEnumeration="urn:a"/>'
      const provider = yield* read(`\uFEFF<?xml version="1.0"?>${file.replace("<md:IDP", `${role}<md:IDP`)}`)
      assert.strictEqual(provider.ssoUrl, "https://idp.example.org/sso")
    })
  )

  it.effect.each(["simplesamlphp", "pysaml2"])("of %s is read as recorded", (product) =>
    Effect.gen(function* () {
      const recording = readRecording(product)
      const provider = yield* read(recording.metadata)
      assert.deepStrictEqual(provider, recording.fixtures[0]?.connection.identityProvider)
    })
  )

  const refused: ReadonlyArray<readonly [name: string, reason: UploadReason["_tag"], file: string | Uint8Array]> = [
    ["empty file", "NotWellFormed", ""],
    ["page of HTML", "MarkupDeclaration", "<!DOCTYPE html><html></html>"],
    ["external entity", "MarkupDeclaration", `<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]>${metadata()}`],
    ["UTF-16", "NotUtf8", Buffer.from(`\uFEFF${metadata()}`, "utf16le")],
    ["larger than the limit", "TooLarge", metadata() + " ".repeat(bytesMax)],
    [
      "metadata of several entities",
      "NotMetadata",
      '<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata"/>'
    ],
    ["EntityDescriptor of another namespace", "NotMetadata", '<md:EntityDescriptor xmlns:md="urn:a"/>'],
    ["metadata of a service provider", "NotAnIdentityProvider", toXml({ entityId: spEntityId, acsUrl })],
    [
      "identity provider of SAML 1.1",
      "NotAnIdentityProvider",
      metadata({ role: 'protocolSupportEnumeration="urn:oasis:names:tc:SAML:1.1:protocol"' })
    ],
    ["no entityID", "EntityIdInvalid", metadata({ entity: "" })],
    ["entityID that is not a URI", "EntityIdInvalid", metadata({ entity: 'entityID="idp"' })],
    ["entityID of 1025 characters", "EntityIdInvalid", metadata({ entity: `entityID="urn:${"a".repeat(1021)}"` })],
    [
      "expired metadata",
      "MetadataExpired",
      metadata({ entity: `entityID="${idpEntityId}" validUntil="${instant(0)}"` })
    ],
    [
      "expired role",
      "MetadataExpired",
      metadata({
        role: `validUntil="${instant(-1)}" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"`
      })
    ],
    ["no redirect binding", "RedirectBindingMissing", metadata({ services: service("HTTP-POST") })],
    [
      "URL without encryption",
      "SsoUrlRefused",
      metadata({ services: service(undefined, "http://idp.example.org/sso") })
    ],
    ["URL that is a script", "SsoUrlRefused", metadata({ services: service(undefined, "javascript:alert(1)") })],
    [
      "URL with a line break",
      "SsoUrlRefused",
      metadata({ services: service(undefined, "https://idp.example.org/&#13;a") })
    ],
    [
      "URL with a password",
      "SsoUrlRefused",
      metadata({ services: service(undefined, "https://a:b@idp.example.org/") })
    ],
    ["URL with a fragment", "SsoUrlRefused", metadata({ services: service(undefined, "https://idp.example.org/#a") })],
    [
      "URL of 2049 characters",
      "SsoUrlRefused",
      metadata({ services: service(undefined, `https://idp.example.org/${"a".repeat(2025)}`) })
    ],
    ["no certificate", "CertificateMissing", metadata({ keys: "" })],
    ["no signing certificate", "CertificateMissing", metadata({ keys: keyOf(current, ' use="encryption"') })],
    ["malformed certificate", "CertificateUnreadable", metadata({ keys: keyOf({ ...current, pem: "AAAA" }) })],
    ["elliptic curve", "CertificateNotRsa", metadata({ keys: keyOf(elliptic) })],
    ["RSA with 1024 bits", "CertificateKeyTooShort", metadata({ keys: keyOf(short) })]
  ]
  it.effect.each(refused)("is refused: %s", ([, reason, file]) =>
    Effect.gen(function* () {
      const error: UploadRefused = yield* Effect.flip(read(file))
      assert.strictEqual(error.reason._tag, reason)
    })
  )

  it.effect("is read until the instant at which it expires", () =>
    Effect.gen(function* () {
      const provider = yield* read(metadata({ entity: `entityID="${idpEntityId}" validUntil="${instant(0.001)}"` }))
      assert.strictEqual(provider.entityId, idpEntityId)
    })
  )
})

describe("our metadata", () => {
  const serviceProvider = { entityId: spEntityId, acsUrl }

  it("names us and where to post", () => {
    const xml = toXml(serviceProvider)
    assert.include(xml, `entityID="${spEntityId}"`)
    assert.include(xml, `Location="${acsUrl}"`)
    assert.include(xml, 'WantAssertionsSigned="true"')
    assert.include(xml, 'AuthnRequestsSigned="false"')
    assert.notInclude(xml, "KeyDescriptor")
  })

  it("names the key that signs our requests", () => {
    const xml = toXml(serviceProvider, certificateOf(current))
    assert.include(xml, 'AuthnRequestsSigned="true"')
    assert.include(xml, `<ds:X509Certificate>${bare(current)}</ds:X509Certificate>`)
  })

  it("stays well-formed with any names", () => {
    const odd = { entityId: `urn:a"><md:b c='&`, acsUrl: "https://acme.example.com/?a=b&c=<d>" }
    const root = parse(toXml(odd).replace(/^<\?xml[^>]*>/, ""))
    assert.strictEqual(root?.getAttribute("entityID"), odd.entityId)
  })
})
