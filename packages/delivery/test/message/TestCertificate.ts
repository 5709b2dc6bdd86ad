import "reflect-metadata" // needed by the decorators of @peculiar/x509
import { KeyObject } from "node:crypto"
import * as x509 from "@peculiar/x509"
import { Effect } from "effect"

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const

/** A key and a self-signed certificate for localhost, both PEM. */
export const localhost = Effect.promise(async () => {
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: "CN=localhost",
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.SubjectAlternativeNameExtension([{ type: "dns", value: "localhost" }])
    ]
  })
  return {
    cert: `${certificate.toString("pem")}\n`,
    key: KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" }).toString()
  }
})
