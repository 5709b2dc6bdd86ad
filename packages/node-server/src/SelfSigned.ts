import "reflect-metadata" // needed by @peculiar/x509
import { KeyObject, randomBytes } from "node:crypto"
import { isIP } from "node:net"
import * as x509 from "@peculiar/x509"

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const

/** Returns the subject alternative name of an address or host name. */
const generalName = (host: string): x509.JsonGeneralName => {
  const bare = host.replace(/^\[|\]$/g, "")
  return isIP(bare) === 0 ? { type: "dns", value: bare } : { type: "ip", value: bare }
}

/** Returns a positive serial number with 120 random bits (RFC 5280, section 4.1.2.2). */
const serialNumber = () => `01${randomBytes(15).toString("hex")}`

/** Generates a P-256 key and a self-signed certificate for hosts, both PEM. Times are Unix milliseconds. */
export const generate = async (hosts: ReadonlyArray<string>, notBefore: number, notAfter: number) => {
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: "CN=localhost",
    notBefore: new Date(notBefore),
    notAfter: new Date(notAfter),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      // A client that trusts this certificate must not trust others that its key has signed (threat 48). There is no key
      // usage: OpenSSL would require that it includes the signing of certificates.
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(hosts.map(generalName))
    ]
  })
  return {
    cert: `${certificate.toString("pem")}\n`,
    key: KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" }).toString()
  }
}
