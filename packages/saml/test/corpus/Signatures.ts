import { createHash } from "node:crypto"
import { algorithms, connection, issued, type Signing, sign, toBase64, usualResponse, withSignedInfo } from "./Forge.ts"
import { elementIn, type Hostile, hostile, postOf, replaced } from "./Hostile.ts"
import { attacker, certificateOf, current, elliptic, next, short } from "./Keys.ts"

const { enveloped, exclusive } = algorithms

const good = () => usualResponse()
const signed = (name: string, reason: Hostile[1], signing: Signing): Hostile =>
  hostile(name, reason, () => issued({}, "assertion", signing))
const textOf = (xml: string, name: string) => elementIn(xml, name).replace(/<[^>]*>/g, "")
const bareCertificate = (pem: string) => pem.replace(/-----[^-]+-----|\s/g, "")

const keys: ReadonlyArray<Hostile> = [
  signed("attacker's key, attacker's certificate in KeyInfo", "SignerUnknown", { by: attacker }),
  signed("attacker's key, our certificate in KeyInfo", "SignerUnknown", { by: attacker, keyInfo: current.pem }),
  signed("attacker's key, no KeyInfo", "SignerUnknown", { by: attacker, keyInfo: null }),
  signed("key of 1024 bits", "SignerUnknown", { by: short }),
  hostile("attacker's key, both certificates in KeyInfo", "SignerUnknown", () =>
    replaced(
      issued({}, "assertion", { by: attacker }),
      "<ds:X509Certificate>",
      `<ds:X509Certificate>${bareCertificate(current.pem)}</ds:X509Certificate><ds:X509Certificate>`
    )
  ),
  hostile("response signed by the attacker around an assertion signed by us", "SignerUnknown", () =>
    sign(good(), "Response", { by: attacker })
  ),
  [
    "key that the connection no longer has",
    "SignerUnknown",
    () => {
      const identityProvider = { ...connection.identityProvider, certificates: [certificateOf(next)] }
      return postOf(toBase64(good()), { connection: { ...connection, identityProvider } })
    }
  ],
  [
    "connection without certificates",
    "SignerUnknown",
    () => {
      const identityProvider = { ...connection.identityProvider, certificates: [] }
      return postOf(toBase64(good()), { connection: { ...connection, identityProvider } })
    }
  ]
]

const swapped = (name: string, from: string, to: string): Hostile =>
  hostile(name, "AlgorithmNotAllowed", () => replaced(good(), `Algorithm="${from}"`, `Algorithm="${to}"`))

const choice: ReadonlyArray<Hostile> = [
  signed("RSA with SHA-1", "AlgorithmNotAllowed", { signature: algorithms.rsaSha1 }),
  signed("digest SHA-1", "AlgorithmNotAllowed", { digest: algorithms.sha1 }),
  signed("RSA-PSS", "AlgorithmNotAllowed", { signature: algorithms.rsaPss }),
  signed("ECDSA", "AlgorithmNotAllowed", { by: elliptic, signature: algorithms.ecdsaSha256 }),
  signed("HMAC-SHA-1 with the public certificate as its key", "AlgorithmNotAllowed", {
    by: { ...current, privatePem: current.pem },
    signature: algorithms.hmacSha1
  }),
  signed("HMAC-SHA-256 with the public certificate as its key", "AlgorithmNotAllowed", {
    by: { ...current, privatePem: certificateOf(current).pem },
    signature: algorithms.hmacSha256
  }),
  signed("inclusive canonicalization of SignedInfo", "AlgorithmNotAllowed", { canonicalization: algorithms.inclusive }),
  signed("canonicalization of SignedInfo with comments", "AlgorithmNotAllowed", {
    canonicalization: algorithms.exclusiveWithComments
  }),
  swapped("signature algorithm swapped to SHA-1", algorithms.rsaSha256, algorithms.rsaSha1),
  swapped("signature algorithm swapped to HMAC", algorithms.rsaSha256, algorithms.hmacSha256),
  swapped("signature algorithm that is a property of every object", algorithms.rsaSha256, "constructor"),
  swapped("signature algorithm __proto__", algorithms.rsaSha256, "__proto__"),
  swapped("empty signature algorithm", algorithms.rsaSha256, ""),
  swapped("digest algorithm swapped to SHA-1", algorithms.sha256, algorithms.sha1),
  swapped("digest algorithm swapped to MD5", algorithms.sha256, "http://www.w3.org/2001/04/xmldsig-more#md5"),
  swapped("digest algorithm that is a property of every object", algorithms.sha256, "toString"),
  hostile("signature algorithm swapped to SHA-512", "SignerUnknown", () =>
    replaced(good(), algorithms.rsaSha256, algorithms.rsaSha512)
  ),
  hostile("digest algorithm swapped to SHA-512", "SignatureMalformed", () =>
    replaced(good(), algorithms.sha256, algorithms.sha512)
  ),
  hostile("HMACOutputLength", "ElementNotAllowed", () =>
    replaced(
      good(),
      /<ds:SignatureMethod ([^>]*)\/>/,
      `<ds:SignatureMethod Algorithm="${algorithms.rsaSha256}"><ds:HMACOutputLength>0</ds:HMACOutputLength></ds:SignatureMethod>`
    )
  )
]

const xpathTransform =
  '<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"><ds:XPath>self::text()</ds:XPath></ds:Transform>'
const xsltTransform =
  '<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116">' +
  '<xsl:stylesheet xmlns:xsl="http://www.w3.org/1999/XSL/Transform" version="1.0"/></ds:Transform>'
const addedTransform = (transform: string) => () => replaced(good(), "</ds:Transforms>", `${transform}</ds:Transforms>`)

const transforms: ReadonlyArray<Hostile> = [
  signed("no enveloped transform", "TransformsNotAllowed", { transforms: [exclusive] }),
  signed("enveloped transform alone", "TransformsNotAllowed", { transforms: [enveloped] }),
  signed("canonicalization with comments", "TransformsNotAllowed", {
    transforms: [enveloped, algorithms.exclusiveWithComments]
  }),
  signed("inclusive canonicalization", "TransformsNotAllowed", { transforms: [enveloped, algorithms.inclusive] }),
  signed("transforms in another order", "TransformsNotAllowed", { transforms: [exclusive, enveloped] }),
  signed("canonicalization twice", "TransformsNotAllowed", { transforms: [enveloped, exclusive, exclusive] }),
  hostile("XPath transform", "ElementNotAllowed", addedTransform(xpathTransform)),
  hostile("XSLT transform", "ElementNotAllowed", addedTransform(xsltTransform)),
  hostile(
    "empty XPath transform",
    "TransformsNotAllowed",
    addedTransform('<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"/>')
  ),
  hostile(
    "base64 transform",
    "TransformsNotAllowed",
    addedTransform('<ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#base64"/>')
  ),
  hostile("prefix list on the enveloped transform", "TransformsNotAllowed", () =>
    replaced(
      good(),
      `<ds:Transform Algorithm="${enveloped}"/>`,
      `<ds:Transform Algorithm="${enveloped}"><ec:InclusiveNamespaces xmlns:ec="${exclusive}" PrefixList="saml"/></ds:Transform>`
    )
  ),
  hostile("no transforms", "ElementMissing", () => {
    const xml = good()
    return replaced(xml, elementIn(xml, "ds:Transforms"), "")
  })
]

/** Signed by the right key. */
const withReference = (uri: string) =>
  withSignedInfo((signedInfo) => replaced(signedInfo, 'URI="#_assertion1"', `URI="${uri}"`))

const references: ReadonlyArray<Hostile> = [
  ...["", "#", "#xpointer(/)", "#xpointer(id('_assertion1'))", "_assertion1", "#_response1", "#_other"].map((uri) =>
    hostile(`reference ${JSON.stringify(uri)}, signed`, "ReferenceForeign", () => withReference(uri))
  ),
  hostile("reference to a file", "ReferenceForeign", () => withReference("file:///etc/passwd")),
  hostile("reference to a URL", "ReferenceForeign", () => withReference("http://127.0.0.1/")),
  hostile("reference altered under the old signature", "ReferenceForeign", () =>
    replaced(good(), 'URI="#_assertion1"', 'URI="#_response1"')
  ),
  hostile("no URI", "AttributeMissing", () => replaced(good(), ' URI="#_assertion1"', "")),
  signed("two references", "ElementRepeated", {
    references: ["/*/*[local-name(.)='Assertion']", "/*"]
  }),
  hostile("no reference", "ElementMissing", () => {
    const xml = good()
    return replaced(xml, elementIn(xml, "ds:Reference"), "")
  }),
  hostile("reference with Type", "AttributeNotAllowed", () =>
    replaced(good(), "<ds:Reference ", '<ds:Reference Type="http://www.w3.org/2000/09/xmldsig#Object" ')
  ),
  hostile("Manifest", "ElementNotAllowed", () =>
    replaced(good(), "</ds:Signature>", "<ds:Object><ds:Manifest/></ds:Object></ds:Signature>")
  ),
  hostile("Object", "ElementNotAllowed", () =>
    replaced(good(), "</ds:Signature>", "<ds:Object>x</ds:Object></ds:Signature>")
  )
]

/** A digest of other content, for the attacker's SignedInfo. */
const forgedDigest = createHash("sha256").update("mallory").digest("base64")
const twice = (name: string) => () => {
  const xml = good()
  return replaced(xml, elementIn(xml, name), elementIn(xml, name).repeat(2))
}

const values: ReadonlyArray<Hostile> = [
  hostile("two SignedInfo", "ElementRepeated", twice("ds:SignedInfo")),
  hostile("forged SignedInfo before the signed one", "ElementRepeated", () => {
    const xml = good()
    const info = elementIn(xml, "ds:SignedInfo")
    return replaced(xml, info, replaced(info, textOf(info, "ds:DigestValue"), forgedDigest) + info)
  }),
  hostile("SignedInfo within SignedInfo", "ElementNotAllowed", () => {
    const xml = good()
    const info = elementIn(xml, "ds:SignedInfo")
    return replaced(xml, info, replaced(info, "</ds:SignedInfo>", `${info}</ds:SignedInfo>`))
  }),
  hostile("two SignatureValue", "ElementRepeated", twice("ds:SignatureValue")),
  hostile("two DigestValue", "ElementRepeated", twice("ds:DigestValue")),
  hostile("comment in DigestValue", "MarkupDeclaration", () => {
    const xml = good()
    return replaced(xml, "<ds:DigestValue>", `<ds:DigestValue><!--${forgedDigest}-->`)
  }),
  hostile("element in DigestValue", "ElementNotAllowed", () =>
    replaced(good(), "<ds:DigestValue>", "<ds:DigestValue><ds:DigestValue>x</ds:DigestValue>")
  ),
  hostile("forged digest", "SignerUnknown", () => {
    const xml = good()
    return replaced(xml, textOf(xml, "ds:DigestValue"), forgedDigest)
  }),
  hostile("content and digest forged", "SignerUnknown", () => {
    const xml = good()
    const other = issued({
      nameId: '<saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">mallory</saml:NameID>'
    })
    return replaced(other, textOf(other, "ds:SignatureValue"), textOf(xml, "ds:SignatureValue"))
  }),
  hostile("empty DigestValue", "SignatureMalformed", () => {
    const xml = good()
    return replaced(xml, textOf(xml, "ds:DigestValue"), "")
  }),
  hostile("short DigestValue", "SignatureMalformed", () => {
    const xml = good()
    return replaced(xml, textOf(xml, "ds:DigestValue"), "AAAA")
  }),
  hostile("empty SignatureValue", "SignatureMalformed", () => {
    const xml = good()
    return replaced(xml, textOf(xml, "ds:SignatureValue"), "")
  }),
  hostile("SignatureValue that is not base64", "SignatureMalformed", () => {
    const xml = good()
    return replaced(xml, textOf(xml, "ds:SignatureValue"), "!!!!")
  }),
  hostile("SignatureValue of zeros", "SignerUnknown", () => {
    const xml = good()
    return replaced(xml, textOf(xml, "ds:SignatureValue"), Buffer.alloc(256).toString("base64"))
  }),
  hostile("RetrievalMethod in KeyInfo", "ElementNotAllowed", () =>
    replaced(good(), "</ds:KeyInfo>", '<ds:RetrievalMethod URI="http://127.0.0.1/"/></ds:KeyInfo>')
  )
]

export const signatures: ReadonlyArray<Hostile> = [...keys, ...choice, ...transforms, ...references, ...values]
