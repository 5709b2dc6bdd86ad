import { generateKeyPairSync, randomBytes, sign } from "node:crypto"
import { isIPv4, isIPv6 } from "node:net"
import ipaddr from "ipaddr.js"

// A certificate is one fixed shape (RFC 5280, section 4.1) in DER (X.690): writing it takes no library.

const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  /** `[0] EXPLICIT` and `[3] EXPLICIT` of the certificate's version and extensions. */
  version: 0xa0,
  extensions: 0xa3,
  /** `[2]` and `[7]` of a general name. */
  dnsName: 0x82,
  ipAddress: 0x87
} as const

const der = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const header = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...header]), content])
}

const sequence = (...parts: ReadonlyArray<Uint8Array>) => der(tags.sequence, ...parts)
const objectId = (hex: string) => der(tags.objectId, Buffer.from(hex, "hex"))
const bitString = (bytes: Uint8Array) => der(tags.bitString, Buffer.from([0]), bytes)
const truth = der(tags.boolean, Buffer.from([0xff]))

const ids = {
  commonName: objectId("550403"),
  basicConstraints: objectId("551d13"),
  keyUsage: objectId("551d0f"),
  subjectAltName: objectId("551d11"),
  ecdsaWithSha256: objectId("2a8648ce3d040302")
} as const

/** Until 2049 with two digits for the year, then with four (RFC 5280, section 4.1.2.5). */
const time = (millis: number): Buffer => {
  const digits = new Date(millis).toISOString().replace(/\D/g, "").slice(0, 14)
  return digits < "2050"
    ? der(tags.utcTime, Buffer.from(`${digits.slice(2)}Z`))
    : der(tags.generalizedTime, Buffer.from(`${digits}Z`))
}

/** An address without brackets or a host name, as the alternative name of a subject. */
const generalName = (host: string): Buffer => {
  const bare = host.replace(/^\[|\]$/g, "")
  return isIPv4(bare) || isIPv6(bare)
    ? der(tags.ipAddress, Buffer.from(ipaddr.parse(bare).toByteArray()))
    : der(tags.dnsName, Buffer.from(bare))
}

const extension = (id: Buffer, isCritical: boolean, value: Buffer) =>
  sequence(id, ...(isCritical ? [truth] : []), der(tags.octetString, value))

const pem = (label: string, bytes: Buffer): string =>
  [
    `-----BEGIN ${label}-----`,
    ...(bytes.toString("base64").match(/.{1,64}/g) ?? []),
    `-----END ${label}-----`,
    ""
  ].join("\n")

/** A new P-256 key and a certificate of it for these hosts, signed by itself; both PEM. Times are Unix milliseconds. */
export const generate = (hosts: ReadonlyArray<string>, notBefore: number, notAfter: number) => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const algorithm = sequence(ids.ecdsaWithSha256)
  const name = sequence(der(tags.set, sequence(ids.commonName, der(tags.utf8, Buffer.from("localhost")))))
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(15)]) // positive, and 120 random bits
  const toBeSigned = sequence(
    der(tags.version, der(tags.integer, Buffer.from([2]))),
    der(tags.integer, serial),
    algorithm,
    name,
    sequence(time(notBefore), time(notAfter)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(
      tags.extensions,
      sequence(
        // Clients that are told to trust it take it for its own issuer.
        extension(ids.basicConstraints, true, sequence(truth)),
        // digitalSignature and keyCertSign (section 4.2.1.3)
        extension(ids.keyUsage, true, der(tags.bitString, Buffer.from([2, 0b10000100]))),
        extension(ids.subjectAltName, false, sequence(...hosts.map(generalName)))
      )
    )
  )
  const certificate = sequence(toBeSigned, algorithm, bitString(sign("sha256", toBeSigned, privateKey)))
  return {
    cert: pem("CERTIFICATE", certificate),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString()
  }
}
