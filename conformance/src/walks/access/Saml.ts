import { createHash, createPrivateKey, type KeyObject, randomBytes, sign } from "node:crypto"
import { inflateRawSync } from "node:zlib"
import type { SamlLogin } from "../../profile/WebLogin.ts"
import type { Exchange } from "../../wire/Exchange.ts"
import { attributesOf, formsIn, unescaped } from "../../wire/Markup.ts"
import { redirectOf } from "./Visitor.ts"

// The identity provider's side of SAML 2.0 web browser single sign-on (SAML profiles, §4.1).

const namespaces = {
  samlp: "urn:oasis:names:tc:SAML:2.0:protocol",
  saml: "urn:oasis:names:tc:SAML:2.0:assertion",
  ds: "http://www.w3.org/2000/09/xmldsig#"
}

/** A message that a browser carries to the identity provider. */
export interface Brought {
  /** The browser's target, without the query. */
  readonly url: string
  /** XML; undefined if the message is not encoded as its binding says. */
  readonly xml: string | undefined
  readonly relayState: string | undefined
}

const withoutQuery = (url: string): string => url.replace(/[?#].*$/s, "")

/** The maximum number of bytes of an AuthnRequest. */
const maxBytes = 256 * 1024

const inflated = (text: string): string | undefined => {
  try {
    return inflateRawSync(Buffer.from(text, "base64"), { maxOutputLength: maxBytes }).toString("utf8")
  } catch {
    return undefined
  }
}

/** Whether a URL carries an AuthnRequest. */
export const bringsRequest = (address: string): boolean => new URL(address).searchParams.has("SAMLRequest")

/** The AuthnRequest in an answer, by redirect or form; undefined if there is none. */
export const broughtBy = (exchange: Exchange): Brought | undefined => {
  const address = redirectOf(exchange)
  const query = address === undefined ? undefined : new URL(address).searchParams
  const inQuery = query?.get("SAMLRequest") ?? undefined
  if (address !== undefined && inQuery !== undefined) {
    return { url: withoutQuery(address), xml: inflated(inQuery), relayState: query?.get("RelayState") ?? undefined }
  }
  const form = formsIn(exchange.answer?.text ?? "").find(({ fields }) => fields.has("SAMLRequest"))
  if (form === undefined) return undefined
  const xml = Buffer.from(form.fields.get("SAMLRequest") ?? "", "base64").toString("utf8")
  return { url: withoutQuery(form.action), xml, relayState: form.fields.get("RelayState") }
}

/** The parts of an AuthnRequest that a response needs. */
export interface AuthnRequest {
  readonly id: string
  /** The entity id of the deployment. */
  readonly issuer: string
  readonly consumerUrl: string
}

/** The parts of an AuthnRequest, each undefined if absent. */
export const partsOf = (xml: string) => {
  const [, prefix = "", tag = ""] = /<(?:([\w.-]+):)?AuthnRequest(\s[^>]*)>/.exec(xml) ?? []
  const attributes = attributesOf(tag)
  const [, issuer] = /<(?:[\w.-]+:)?Issuer(?:\s[^>]*)?>([^<]*)</.exec(xml) ?? []
  return {
    namespace: attributes.get(prefix === "" ? "xmlns" : `xmlns:${prefix}`),
    id: attributes.get("ID"),
    version: attributes.get("Version"),
    issuer: issuer === undefined ? undefined : unescaped(issuer).trim(),
    consumerUrl: attributes.get("AssertionConsumerServiceURL")
  }
}

export const protocolNamespace = namespaces.samlp

const escapedText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\r", "&#xD;")

const escapedAttribute = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll('"', "&quot;")
    .replaceAll(/[\t\n\r]/g, (char) => `&#x${char.charCodeAt(0).toString(16).toUpperCase()};`)

// All XML below is in canonical form (Exclusive XML Canonicalization 1.0), so the text can be signed as it is. Each
// namespace is at the outermost element that uses it. Attributes are sorted, and there are no empty-element tags.

const algorithms = {
  canonical: "http://www.w3.org/2001/10/xml-exc-c14n#",
  enveloped: `${namespaces.ds}enveloped-signature`,
  signature: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
  digest: "http://www.w3.org/2001/04/xmlenc#sha256"
}

const algorithm = (name: string, uri: string): string => `<ds:${name} Algorithm="${uri}"></ds:${name}>`

const signedInfo = (id: string, digest: string, namespace: string): string =>
  `<ds:SignedInfo${namespace}>${algorithm("CanonicalizationMethod", algorithms.canonical)}` +
  `${algorithm("SignatureMethod", algorithms.signature)}<ds:Reference URI="#${id}"><ds:Transforms>` +
  `${algorithm("Transform", algorithms.enveloped)}${algorithm("Transform", algorithms.canonical)}</ds:Transforms>` +
  `${algorithm("DigestMethod", algorithms.digest)}<ds:DigestValue>${digest}</ds:DigestValue></ds:Reference></ds:SignedInfo>`

const afterIssuer = /(?<=<\/saml:Issuer>)/

/** An element with its enveloped signature after its issuer. */
const signed = (xml: string, id: string, key: KeyObject): string => {
  const digest = createHash("sha256").update(xml, "utf8").digest("base64")
  const namespace = ` xmlns:ds="${namespaces.ds}"`
  const value = sign("sha256", Buffer.from(signedInfo(id, digest, namespace)), key).toString("base64")
  const signature =
    `<ds:Signature${namespace}>${signedInfo(id, digest, "")}` +
    `<ds:SignatureValue>${value}</ds:SignatureValue></ds:Signature>`
  return xml.replace(afterIssuer, () => signature)
}

const issuerOf = (entityId: string, namespace = ""): string =>
  `<saml:Issuer${namespace}>${escapedText(entityId)}</saml:Issuer>`

const samlNamespace = ` xmlns:saml="${namespaces.saml}"`

const emailAddress = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"

const timeOf = (millis: number): string => new Date(millis).toISOString()

/** The lifetime of a response. */
const lifetimeMillis = 300_000
/** Tolerance for clock differences. */
const skewMillis = 60_000

const attributeOf = ([name, value]: readonly [string, string]): string =>
  `<saml:Attribute Name="${escapedAttribute(name)}"><saml:AttributeValue>${escapedText(value)}` +
  "</saml:AttributeValue></saml:Attribute>"

/** The content of a response. */
export interface Said {
  readonly request: AuthnRequest
  readonly login: SamlLogin
  /** Unix milliseconds. */
  readonly now: number
}

const nameIdOf = ({ format = emailAddress }: SamlLogin["user"], name: string): string =>
  `<saml:NameID Format="${escapedAttribute(format)}">${escapedText(name)}</saml:NameID>`

const assertionOf = ({ login, now, request }: Said, id: string, name: string): string => {
  const { identityProvider, user } = login
  const until = timeOf(now + lifetimeMillis)
  const attributes = Object.entries(user.attributes ?? {})
    .map(attributeOf)
    .join("")
  return (
    `<saml:Assertion${samlNamespace} ID="${id}" IssueInstant="${timeOf(now)}" Version="2.0">` +
    `${issuerOf(identityProvider.entityId)}<saml:Subject>${nameIdOf(user, name)}` +
    '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">' +
    `<saml:SubjectConfirmationData InResponseTo="${escapedAttribute(request.id)}" NotOnOrAfter="${until}"` +
    ` Recipient="${escapedAttribute(request.consumerUrl)}"></saml:SubjectConfirmationData></saml:SubjectConfirmation>` +
    `</saml:Subject><saml:Conditions NotBefore="${timeOf(now - skewMillis)}" NotOnOrAfter="${until}">` +
    `<saml:AudienceRestriction><saml:Audience>${escapedText(request.issuer)}</saml:Audience></saml:AudienceRestriction>` +
    `</saml:Conditions><saml:AuthnStatement AuthnInstant="${timeOf(now)}" SessionIndex="${id}"><saml:AuthnContext>` +
    "<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport" +
    "</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>" +
    `${attributes === "" ? "" : `<saml:AttributeStatement>${attributes}</saml:AttributeStatement>`}</saml:Assertion>`
  )
}

/** Another name of the same length. */
const changed = (name: string): string => `${name.startsWith("a") ? "b" : "a"}${name.slice(1)}`

/**
 * A response as a browser posts it, in base64. In an honest one, the assertion and the response are signed. An altered
 * one was signed for another name and then changed to the user's. An unsigned one has the user's name but no signature.
 */
export const responseOf = (said: Said, key: KeyObject, as: "honest" | "altered" | "unsigned"): string => {
  const { login, now, request } = said
  const { identityProvider, user } = login
  const [id, assertionId] = [randomBytes(16), randomBytes(16)].map((bytes) => `_${bytes.toString("hex")}`)
  const sealed = (xml: string, one = "") => (as === "unsigned" ? xml : signed(xml, one, key))
  const name = as === "altered" ? changed(user.nameId) : user.nameId
  const response =
    `<samlp:Response xmlns:samlp="${namespaces.samlp}" Destination="${escapedAttribute(request.consumerUrl)}" ID="${id}"` +
    ` InResponseTo="${escapedAttribute(request.id)}" IssueInstant="${timeOf(now)}" Version="2.0">` +
    `${issuerOf(identityProvider.entityId, samlNamespace)}<samlp:Status>` +
    '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"></samlp:StatusCode></samlp:Status>' +
    `${sealed(assertionOf(said, assertionId ?? "", name), assertionId)}</samlp:Response>`
  const xml = sealed(response, id).replace(nameIdOf(user, name), () => nameIdOf(user, user.nameId))
  return Buffer.from(xml, "utf8").toString("base64")
}

/** The private key in a PEM text; undefined if the text has no RSA key. */
export const keyIn = (pem: string): KeyObject | undefined => {
  try {
    const key = createPrivateKey(pem)
    return key.asymmetricKeyType === "rsa" ? key : undefined
  } catch {
    return undefined
  }
}
