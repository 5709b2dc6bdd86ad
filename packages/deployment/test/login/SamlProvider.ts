import { randomUUID } from "node:crypto"
import { promisify } from "node:util"
import { inflateRawSync } from "node:zlib"
import { getSamlResponse, type SamlpOptions } from "samlp"
import { vi } from "vitest"
import type { Key } from "./SamlKey.ts"

export const issuer = "https://idp.example.org/metadata"

/** Metadata as an administrator downloads it. */
export const metadataOf = ({ cert }: Pick<Key, "cert">, attributes = ""): string =>
  `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${issuer}">` +
  `<md:IDPSSODescriptor${attributes} protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">` +
  '<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data>' +
  `<ds:X509Certificate>${cert.replace(/-----[^-]+-----|\s/g, "")}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>` +
  '</md:KeyDescriptor><md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"' +
  ' Location="https://idp.example.org/sso"/></md:IDPSSODescriptor></md:EntityDescriptor>'

/** The SAML request in a redirect. */
export const requestIn = (location: string) => {
  const { searchParams } = new URL(location)
  const xml = inflateRawSync(Buffer.from(searchParams.get("SAMLRequest") ?? "", "base64")).toString()
  const attribute = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(xml)?.[1] ?? ""
  return {
    id: attribute(" ID"),
    acsUrl: attribute("AssertionConsumerServiceURL"),
    audience: /<saml:Issuer>([^<]*)</.exec(xml)?.[1] ?? "",
    forceAuthn: attribute(" ForceAuthn"),
    relayState: searchParams.get("RelayState") ?? ""
  }
}

/** Runs something synchronously with another system time, which nothing else in this process sees. */
const runAt = <A>(now: number, run: () => A): A => {
  vi.useFakeTimers({ toFake: ["Date", "setImmediate", "clearImmediate"], now })
  try {
    const result = run()
    vi.runAllTimers()
    return result
  } finally {
    vi.useRealTimers()
  }
}

export interface AnswerOptions extends Partial<SamlpOptions> {
  /** The provider's time of the login and the response. */
  readonly now?: number
}

/** The form that the browser posts: npm's samlp answers the request for a person. */
export const answer = async (
  location: string,
  { cert, key }: Key,
  person: { readonly subject: string; readonly email: string },
  { now = Date.now(), ...options }: AnswerOptions = {}
) => {
  const { acsUrl, audience, id, relayState } = requestIn(location)
  const xml = await runAt(now, () =>
    promisify(getSamlResponse)(
      {
        issuer,
        cert,
        key,
        audience,
        recipient: acsUrl,
        destination: acsUrl,
        inResponseTo: id,
        lifetimeInSeconds: 300,
        signatureAlgorithm: "rsa-sha256",
        digestAlgorithm: "sha256",
        nameIdentifierFormat: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
        signAssertion: true,
        signResponse: false,
        sessionIndex: randomUUID(),
        ...options
      },
      { id: person.subject, displayName: "Ann", name: {}, emails: [{ value: person.email }] }
    )
  )
  return { SAMLResponse: Buffer.from(xml).toString("base64"), RelayState: relayState }
}
