import "reflect-metadata" // required by @peculiar/x509
import { KeyObject } from "node:crypto"
import * as x509 from "@peculiar/x509"
import { type Certificate, fromText } from "@wcs/saml/Certificate"
import { Result } from "effect"

export interface SigningKey {
  readonly key: KeyObject
  readonly privatePem: string
  readonly pem: string
}

const rsa = (bits: number) => ({
  name: "RSASSA-PKCS1-v1_5",
  hash: "SHA-256",
  publicExponent: new Uint8Array([1, 0, 1]),
  modulusLength: bits
})
const ec = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" }

const dates = { notBefore: new Date("2026-01-01T00:00:00Z"), notAfter: new Date("2027-01-01T00:00:00Z") }

const generate = async (name: string, algorithm: ReturnType<typeof rsa> | typeof ec): Promise<SigningKey> => {
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])
  const generator = x509.X509CertificateGenerator
  const certificate = await generator.createSelfSigned({ name, keys, signingAlgorithm: algorithm, ...dates })
  const key = KeyObject.from(keys.privateKey)
  return { key, privatePem: key.export({ type: "pkcs8", format: "pem" }).toString(), pem: certificate.toString("pem") }
}

/** The identity provider's key, its next key, and an attacker's under the same name. */
export const current = await generate("CN=idp.example.org", rsa(2048))
export const next = await generate("CN=idp.example.org", rsa(2048))
export const attacker = await generate("CN=idp.example.org", rsa(2048))
/** Keys that no connection may use. */
export const short = await generate("CN=idp.example.org", rsa(1024))
export const elliptic = await generate("CN=idp.example.org", ec)

export const certificateOf = ({ pem }: SigningKey): Certificate => Result.getOrThrow(fromText(pem))
