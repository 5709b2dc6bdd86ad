import { type KeyObject, sign } from "node:crypto"
import { deflateRawSync } from "node:zlib"
import { Ids } from "@wcs/domain/shared/Id"
import { toRfc3339 } from "@wcs/domain/shared/Instant"
import { Clock, Effect } from "effect"
import type { Connection } from "./Connection.ts"
import type { PendingLogin } from "./ResponseRules.ts"
import { escaped, namespaces } from "./Xml.ts"

export interface AuthnRequestOptions {
  /** The person must prove their identity again, even within a session at the identity provider: for step-up. */
  readonly forceAuthn?: boolean
  /** Our RSA key. Signs the request if given. Identity providers with `wantsSignedRequests` need it. */
  readonly signingKey?: KeyObject
}

export interface AuthnRequest {
  /** The URL to redirect the browser to. */
  readonly url: string
  /** Keep this for this browser until the response arrives: see `PendingLogin`. */
  readonly pending: PendingLogin
}

/** 190 random bits. SAML wants 128 at least (SAML core, section 1.3.4). */
const secretLength = 32
const signatureAlgorithm = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"

/** Begins a login: a new request for the HTTP-Redirect binding, with an id and a RelayState that cannot be guessed. */
export const create = Effect.fn("AuthnRequest.create")(function* (
  connection: Connection,
  options: AuthnRequestOptions = {}
) {
  const ids = yield* Ids
  const issuedAt = yield* Clock.currentTimeMillis
  const pending: PendingLogin = {
    requestId: `_${yield* ids.secret(secretLength)}`,
    relayState: yield* ids.secret(secretLength)
  }
  const xml = requestXml(connection, pending, toRfc3339(issuedAt), options.forceAuthn === true)
  const url = redirectUrl(connection.identityProvider.ssoUrl, xml, pending.relayState, options.signingKey)
  return { url, pending } satisfies AuthnRequest
})

const requestXml = (
  { identityProvider, serviceProvider }: Connection,
  { requestId }: PendingLogin,
  issueInstant: string,
  forceAuthn: boolean
): string =>
  `<samlp:AuthnRequest xmlns:samlp="${namespaces.samlp}" xmlns:saml="${namespaces.saml}" ID="${requestId}" Version="2.0"` +
  ` IssueInstant="${issueInstant}" Destination="${escaped(identityProvider.ssoUrl)}"${forceAuthn ? ' ForceAuthn="true"' : ""}` +
  ` AssertionConsumerServiceURL="${escaped(serviceProvider.acsUrl)}"` +
  ' ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST">' +
  `<saml:Issuer>${escaped(serviceProvider.entityId)}</saml:Issuer>` +
  '<samlp:NameIDPolicy Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent" AllowCreate="true"/>' +
  "</samlp:AuthnRequest>"

/** The HTTP-Redirect binding (SAML bindings, section 3.4.4). The signature is over the query as it is sent. */
const redirectUrl = (ssoUrl: string, xml: string, relayState: string, signingKey: KeyObject | undefined): string => {
  const message = deflateRawSync(xml).toString("base64")
  const query = `SAMLRequest=${encodeURIComponent(message)}&RelayState=${encodeURIComponent(relayState)}`
  return `${ssoUrl}${ssoUrl.includes("?") ? "&" : "?"}${signingKey === undefined ? query : signed(query, signingKey)}`
}

const signed = (query: string, signingKey: KeyObject): string => {
  const toSign = `${query}&SigAlg=${encodeURIComponent(signatureAlgorithm)}`
  const signature = sign("sha256", Buffer.from(toSign), signingKey).toString("base64")
  return `${toSign}&Signature=${encodeURIComponent(signature)}`
}
