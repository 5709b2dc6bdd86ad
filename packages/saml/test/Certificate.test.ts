import { assert, describe, it } from "@effect/vitest"
import { fromText } from "@wcs/saml/Certificate"
import { Result } from "effect"
import { certificateOf, current, elliptic, short } from "./corpus/Keys.ts"

const outcome = (text: string) =>
  Result.match(fromText(text), { onFailure: ({ _tag }) => _tag, onSuccess: () => "read" })

const withBytesAfter = (pem: string) =>
  Buffer.concat([Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ""), "base64"), Buffer.from("mallory")]).toString(
    "base64"
  )

describe("a certificate", () => {
  it.each([
    ["PEM", current.pem],
    ["PEM with line breaks of Windows", current.pem.replace(/\n/g, "\r\n")],
    ["base64 as in metadata", current.pem.replace(/-----[^-]+-----|\s/g, "")]
  ])("is read from %s with the same result", (_, text) => {
    assert.deepStrictEqual(Result.getOrThrow(fromText(text)), certificateOf(current))
  })

  it("has its subject, dates and fingerprint", () => {
    const { fingerprint, notAfter, notBefore, subject } = certificateOf(current)
    assert.strictEqual(subject, "CN=idp.example.org")
    assert.match(fingerprint, /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
    assert.strictEqual(notBefore, Date.parse("2026-01-01T00:00:00Z"))
    assert.strictEqual(notAfter, Date.parse("2027-01-01T00:00:00Z"))
  })

  it.each([
    ["nothing", "", "CertificateUnreadable"],
    ["a private key", current.privatePem, "CertificateUnreadable"],
    ["two certificates", current.pem + current.pem, "CertificateUnreadable"],
    ["a certificate with bytes after it", withBytesAfter(current.pem), "CertificateUnreadable"],
    ["other bytes", "AAAA", "CertificateUnreadable"],
    ["20 kB", `${current.pem}${" ".repeat(20_000)}`, "CertificateUnreadable"],
    ["an elliptic curve", elliptic.pem, "CertificateNotRsa"],
    ["RSA with 1024 bits", short.pem, "CertificateKeyTooShort"]
  ])("is refused: %s", (_, text, reason) => assert.strictEqual(outcome(text), reason))
})
