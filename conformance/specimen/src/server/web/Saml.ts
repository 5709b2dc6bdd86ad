import { createHash, generateKeyPairSync, verify } from "node:crypto"
import { deflateRawSync } from "node:zlib"
import type { Place } from "../Place.ts"

// Logins through an identity provider: the request as a redirect, the response as a form (SAML 2.0, bindings 3.4, 3.5).

type At = (point: string, more?: Place) => boolean

/** The identity provider that the server trusts. */
export const provider = {
  entityId: "https://sso.stranger.test/entity",
  url: "https://sso.stranger.test/login"
} as const

let keys: Record<"privateKey" | "publicKey", string> | undefined

/** The keys of the identity provider, in PEM. They take long to make, so all servers have the same. */
export const providerKeys = () => {
  keys ??= generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" }
  })
  return keys
}

/** Where the identity provider sends its responses. */
export const consumerOf = (origin: string): string => `${origin}/session/saml/answer`

/** The URL of the identity provider, with a request for a login. */
export const requestUrl = (origin: string, id: string, at: At): string => {
  const consumer = at("a SAML request names no consumer") ? "" : ` AssertionConsumerServiceURL="${consumerOf(origin)}"`
  const issuer = `<a:Issuer xmlns:a="urn:oasis:names:tc:SAML:2.0:assertion">${origin}</a:Issuer>`
  const xml =
    '<q:AuthnRequest xmlns:q="urn:oasis:names:tc:SAML:2.0:protocol"' +
    ` ID="${at("a SAML request has no id") ? "" : id}" IssueInstant="${new Date().toISOString()}"` +
    ` Version="${at("a SAML request is of version 1.1") ? "1.1" : "2.0"}"${consumer}>` +
    `${at("a SAML request has no issuer") ? "" : issuer}</q:AuthnRequest>`
  const query = new URLSearchParams({ SAMLRequest: deflateRawSync(xml).toString("base64"), RelayState: id })
  return `${at("a SAML request goes to another address") ? `${provider.url}/old` : provider.url}?${query}`
}

const first = (pattern: RegExp, text: string): string => pattern.exec(text)?.[1] ?? ""

const elementIn = (xml: string, name: string): string =>
  first(new RegExp(`(<(?:\\w+:)?${name}[ >][\\s\\S]*?</(?:\\w+:)?${name}>)`), xml)

const textIn = (xml: string, name: string): string => first(/>([^<]*)</, elementIn(xml, name))

/** Why an assertion was not issued by the identity provider as it is. */
const forgery = (assertion: string): string | undefined => {
  const signature = elementIn(assertion, "Signature")
  if (signature === "") return "unsigned"
  const namespace = first(/( xmlns:\w+="[^"]*xmldsig#")/, signature)
  const signed = elementIn(signature, "SignedInfo").replace("SignedInfo>", () => `SignedInfo${namespace}>`)
  const value = Buffer.from(textIn(signature, "SignatureValue"), "base64")
  if (!verify("sha256", Buffer.from(signed), providerKeys().publicKey, value)) return "another key"
  const digest = createHash("sha256").update(assertion.split(signature).join("")).digest("base64")
  return digest === textIn(signature, "DigestValue") ? undefined : "changed"
}

/** What a response must be about. */
interface Expected {
  readonly origin: string
  readonly isAsked: (id: string) => boolean
  readonly email: string
}

/** Why a response of the identity provider logs nobody in; undefined if it does. */
export const flawOf = (response: string, { email, isAsked, origin }: Expected): string | undefined => {
  const assertion = elementIn(Buffer.from(response, "base64").toString(), "Assertion")
  if (assertion === "") return "no assertion"
  const forged = forgery(assertion)
  if (forged !== undefined) return forged
  if (!isAsked(first(/InResponseTo="([^"]*)"/, assertion))) return "another request"
  if (textIn(assertion, "Audience") !== origin) return "another audience"
  if (first(/Recipient="([^"]*)"/, assertion) !== consumerOf(origin)) return "another recipient"
  if (!(Date.parse(first(/NotOnOrAfter="([^"]*)"/, assertion)) > Date.now())) return "expired"
  return textIn(assertion, "NameID") === email ? undefined : "another user"
}
