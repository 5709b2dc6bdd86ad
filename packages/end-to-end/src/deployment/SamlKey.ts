import "reflect-metadata" // needed by @peculiar/x509
import { KeyObject } from "node:crypto"
import * as x509 from "@peculiar/x509"

const algorithm = {
  name: "RSASSA-PKCS1-v1_5",
  hash: "SHA-256",
  publicExponent: new Uint8Array([1, 0, 1]),
  modulusLength: 2048
}

/** A new key of an identity provider, and its certificate, both PEM. */
export const makeKey = async () => {
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({ keys, signingAlgorithm: algorithm })
  return {
    key: KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" }).toString(),
    cert: certificate.toString("pem")
  }
}
