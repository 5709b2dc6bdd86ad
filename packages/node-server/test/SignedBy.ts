import "reflect-metadata" // needed by @peculiar/x509
import { createPrivateKey, KeyObject } from "node:crypto"
import * as x509 from "@peculiar/x509"

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const

interface Pair {
  readonly cert: string
  readonly key: string
}

/** Returns a certificate for localhost that is signed with the key of another certificate, followed by that one. */
export const signedBy = async ({ cert, key }: Pair): Promise<Pair> => {
  const issuer = new x509.X509Certificate(cert)
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])
  const signingKey = await crypto.subtle.importKey(
    "pkcs8",
    createPrivateKey(key).export({ type: "pkcs8", format: "der" }),
    algorithm,
    false,
    ["sign"]
  )
  const forged = await x509.X509CertificateGenerator.create({
    serialNumber: "01",
    subject: "CN=forged",
    issuer: issuer.subject,
    notBefore: issuer.notBefore,
    notAfter: issuer.notAfter,
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: algorithm,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: "dns", value: "localhost" }])]
  })
  return {
    cert: `${forged.toString("pem")}\n${cert}`,
    key: KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" }).toString()
  }
}
