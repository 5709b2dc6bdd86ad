import "reflect-metadata" // required by @peculiar/x509
import { KeyObject } from "node:crypto"
import * as x509 from "@peculiar/x509"

const algorithm = {
  name: "RSASSA-PKCS1-v1_5",
  hash: "SHA-256",
  publicExponent: new Uint8Array([1, 0, 1]),
  modulusLength: 2048
}

const dayMillis = 86_400_000

/** An identity provider's key and certificate, which is valid for the given number of days. */
export const makeKey = async (days: number) => {
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: "CN=idp.example.org",
    notBefore: new Date(Date.now() - dayMillis),
    notAfter: new Date(Date.now() + days * dayMillis),
    keys,
    signingAlgorithm: algorithm
  })
  return {
    key: KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" }).toString(),
    cert: certificate.toString("pem")
  }
}

export type Key = Awaited<ReturnType<typeof makeKey>>
