import { createHash, createHmac, createSign } from "node:crypto"
import type { Connection } from "@wcs/saml/Connection"
import type { PendingLogin } from "@wcs/saml/ResponseRules"
import { SignedXml } from "xml-crypto"
import { certificateOf, current, next, type SigningKey } from "./Keys.ts"

/** The arrival time of forged responses, issued a second before. */
export const now = Date.parse("2026-03-01T12:00:00Z")
export const instant = (offsetSeconds: number): string => new Date(now + offsetSeconds * 1000).toISOString()

export const idpEntityId = "https://idp.example.org/metadata"
export const spEntityId = "https://acme.example.com/saml/idp_0000000000000001/metadata"
export const acsUrl = "https://acme.example.com/saml/idp_0000000000000001/acs"

export const connection: Connection = {
  serviceProvider: { entityId: spEntityId, acsUrl },
  identityProvider: {
    entityId: idpEntityId,
    ssoUrl: "https://idp.example.org/sso",
    certificates: [certificateOf(next), certificateOf(current)],
    wantsSignedRequests: false
  }
}
export const pending: PendingLogin = { requestId: "_request1", relayState: "opaqueRelayStateKey" }

/** Attributes by name; null omits one. */
type Attributes = Readonly<Record<string, string | null>>

/** The replaceable pieces of a response, each as XML or as attributes. */
export interface Pieces {
  readonly response: Attributes
  readonly responseIssuer: string
  readonly status: string
  readonly beforeAssertion: string
  readonly afterAssertion: string
  readonly assertion: Attributes
  readonly issuer: string
  readonly nameId: string
  readonly confirmation: string
  readonly conditions: Attributes
  readonly conditionsContent: string
  readonly authnStatement: string
  readonly attributeStatement: string
  readonly afterStatements: string
}

const attributesOf = (attributes: Attributes): string =>
  Object.entries(attributes)
    .map(([name, value]) => (value === null ? "" : ` ${name}="${value}"`))
    .join("")

export const saml = 'xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"'
export const samlp = 'xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"'
export const persistent = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"
export const bearer = "urn:oasis:names:tc:SAML:2.0:cm:bearer"
export const success = "urn:oasis:names:tc:SAML:2.0:status:Success"

/** A bearer confirmation, with some of its attributes replaced. */
export const confirmation = (data: Attributes = {}, method = bearer): string =>
  `<saml:SubjectConfirmation Method="${method}"><saml:SubjectConfirmationData${attributesOf({
    NotOnOrAfter: instant(299),
    Recipient: acsUrl,
    InResponseTo: pending.requestId,
    ...data
  })}/></saml:SubjectConfirmation>`

export const audiences = (...names: ReadonlyArray<string>): string =>
  `<saml:AudienceRestriction>${names.map((name) => `<saml:Audience>${name}</saml:Audience>`).join("")}</saml:AudienceRestriction>`

export const authnStatement = (attributes: Attributes = {}): string =>
  `<saml:AuthnStatement${attributesOf({ AuthnInstant: instant(-30), SessionIndex: "_session1", ...attributes })}>` +
  "<saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport" +
  "</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>"

const usual: Pieces = {
  response: {
    ID: "_response1",
    Version: "2.0",
    IssueInstant: instant(-1),
    Destination: acsUrl,
    InResponseTo: "_request1"
  },
  responseIssuer: `<saml:Issuer>${idpEntityId}</saml:Issuer>`,
  status: `<samlp:Status><samlp:StatusCode Value="${success}"/></samlp:Status>`,
  beforeAssertion: "",
  afterAssertion: "",
  assertion: { ID: "_assertion1", Version: "2.0", IssueInstant: instant(-1) },
  issuer: `<saml:Issuer>${idpEntityId}</saml:Issuer>`,
  nameId: `<saml:NameID Format="${persistent}">alice-4711</saml:NameID>`,
  confirmation: confirmation(),
  conditions: { NotBefore: instant(-31), NotOnOrAfter: instant(299) },
  conditionsContent: audiences(spEntityId),
  authnStatement: authnStatement(),
  attributeStatement:
    '<saml:AttributeStatement><saml:Attribute Name="mail"><saml:AttributeValue>alice@example.com' +
    "</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>",
  afterStatements: ""
}

export const assertionXml = (pieces: Partial<Pieces> = {}): string => {
  const all = { ...usual, ...pieces, assertion: { ...usual.assertion, ...pieces.assertion } }
  const conditions = attributesOf({ ...usual.conditions, ...pieces.conditions })
  return (
    `<saml:Assertion ${saml}${attributesOf(all.assertion)}>${all.issuer}` +
    `<saml:Subject>${all.nameId}${all.confirmation}</saml:Subject>` +
    `<saml:Conditions${conditions}>${all.conditionsContent}</saml:Conditions>` +
    `${all.authnStatement}${all.attributeStatement}${all.afterStatements}</saml:Assertion>`
  )
}

/** A response around an assertion, by default the usual one, nothing signed. */
export const responseXml = (pieces: Partial<Pieces> = {}, assertion = assertionXml(pieces)): string => {
  const all = { ...usual, ...pieces, response: { ...usual.response, ...pieces.response } }
  return (
    `<samlp:Response ${samlp} ${saml}${attributesOf(all.response)}>${all.responseIssuer}${all.status}` +
    `${all.beforeAssertion}${assertion}${all.afterAssertion}</samlp:Response>`
  )
}

export interface Signing {
  readonly by?: SigningKey
  /** The certificate in KeyInfo; null for none. */
  readonly keyInfo?: string | null
  readonly signature?: string
  readonly digest?: string
  readonly canonicalization?: string
  readonly transforms?: ReadonlyArray<string>
  readonly references?: ReadonlyArray<string>
  readonly prefix?: string
}

export const algorithms = {
  rsaSha1: "http://www.w3.org/2000/09/xmldsig#rsa-sha1",
  rsaSha256: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
  rsaSha384: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha384",
  rsaSha512: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512",
  rsaPss: "http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1",
  ecdsaSha256: "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256",
  hmacSha1: "http://www.w3.org/2000/09/xmldsig#hmac-sha1",
  hmacSha256: "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256",
  sha1: "http://www.w3.org/2000/09/xmldsig#sha1",
  sha256: "http://www.w3.org/2001/04/xmlenc#sha256",
  sha384: "http://www.w3.org/2001/04/xmldsig-more#sha384",
  sha512: "http://www.w3.org/2001/04/xmlenc#sha512",
  exclusive: "http://www.w3.org/2001/10/xml-exc-c14n#",
  exclusiveWithComments: "http://www.w3.org/2001/10/xml-exc-c14n#WithComments",
  inclusive: "http://www.w3.org/TR/2001/REC-xml-c14n-20010315",
  enveloped: "http://www.w3.org/2000/09/xmldsig#enveloped-signature"
} as const

/** A signature algorithm for the library's registry, which lacks it. */
const signer = (uri: string, compute: (text: string, key: string) => string) =>
  class {
    getAlgorithmName = () => uri
    getSignature = (text: unknown, key: unknown) => compute(String(text), String(key))
    verifySignature = () => false
  }
const rsa = (hash: string) => (text: string, key: string) => createSign(hash).update(text).sign(key, "base64")
const hmac = (hash: string) => (text: string, key: string) => createHmac(hash, key).update(text).digest("base64")

class Sha384 {
  getAlgorithmName = () => algorithms.sha384
  getHash = (text: string) => createHash("sha384").update(text).digest("base64")
}

/** Signs the element with this local name, or those of an XPath. Puts the signature after the element's Issuer. */
export const sign = (xml: string, element: "Response" | "Assertion", signing: Signing = {}): string => {
  const { by = current, keyInfo = by.pem, prefix = "ds" } = signing
  const signed = new SignedXml({
    privateKey: by.privatePem,
    ...(keyInfo === null ? {} : { publicCert: keyInfo }),
    signatureAlgorithm: signing.signature ?? algorithms.rsaSha256,
    canonicalizationAlgorithm: signing.canonicalization ?? algorithms.exclusive
  })
  Object.assign(signed.SignatureAlgorithms, {
    [algorithms.rsaSha384]: signer(algorithms.rsaSha384, rsa("sha384")),
    [algorithms.ecdsaSha256]: signer(algorithms.ecdsaSha256, rsa("sha256")),
    [algorithms.hmacSha1]: signer(algorithms.hmacSha1, hmac("sha1")),
    [algorithms.hmacSha256]: signer(algorithms.hmacSha256, hmac("sha256"))
  })
  Object.assign(signed.HashAlgorithms, { [algorithms.sha384]: Sha384 })
  const path = element === "Response" ? "/*" : "/*/*[local-name(.)='Assertion']"
  for (const xpath of signing.references ?? [path]) {
    signed.addReference({
      xpath,
      transforms: signing.transforms ?? [algorithms.enveloped, algorithms.exclusive],
      digestAlgorithm: signing.digest ?? algorithms.sha256
    })
  }
  const location = { reference: `${path}/*[local-name(.)='Issuer']`, action: "after" } as const
  signed.computeSignature(xml, { prefix, location })
  return signed.getSignedXml()
}

/** The three ways in which real identity providers sign. */
export const signedWays = ["assertion", "response", "both"] as const
export type SignedWay = (typeof signedWays)[number]

const signResponse = (xml: string, way: SignedWay = "assertion", signing: Signing = {}): string => {
  const inner = way === "response" ? xml : sign(xml, "Assertion", signing)
  return way === "assertion" ? inner : sign(inner, "Response", signing)
}

/** A response signed by the identity provider, with some pieces replaced. */
export const issued = (pieces: Partial<Pieces> = {}, way: SignedWay = "assertion", signing: Signing = {}): string =>
  signResponse(responseXml(pieces), way, signing)

const usualByWay = new Map<SignedWay, string>()

/** The usual response. It is signed once, since most forgeries begin with it. */
export const usualResponse = (way: SignedWay = "assertion"): string => {
  const known = usualByWay.get(way) ?? issued({}, way)
  usualByWay.set(way, known)
  return known
}

/** Changes SignedInfo of the usual response, and signs it again. SignedInfo must have no namespaces but its own. */
export const withSignedInfo = (change: (signedInfo: string) => string): string => {
  const xml = usualResponse()
  const [signedInfo = ""] = /<ds:SignedInfo>.*<\/ds:SignedInfo>/.exec(xml) ?? []
  const changed = change(signedInfo)
  const canonical = changed
    .replace("<ds:SignedInfo>", '<ds:SignedInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">')
    .replace(/<([\w:]+)([^>]*)\/>/g, "<$1$2></$1>")
  const value = rsa("sha256")(canonical, current.privatePem)
  return xml.replace(signedInfo, () => changed).replace(/(?<=<ds:SignatureValue>)[^<]*/, () => value)
}

export const toBase64 = (text: string | Uint8Array): string => Buffer.from(text).toString("base64")
