import { X509Certificate } from "node:crypto"
import type { Instant } from "@wcs/domain/shared/Instant"
import { Result } from "effect"
import type { CertificateReason } from "./Refusal.ts"

/**
 * A certificate of an identity provider. Only its key is used: it is trusted because an administrator uploaded it, so
 * its issuer, chain and dates do not matter for verification. An expired one still verifies, with a warning.
 */
export interface Certificate {
  readonly pem: string
  /** SHA-256 of its DER, as hex pairs with colons. */
  readonly fingerprint: string
  readonly subject: string
  readonly notBefore: Instant
  readonly notAfter: Instant
}

const rsaBitsMin = 2048
const textMax = 16 * 1024

const form = /^(?:-----BEGINCERTIFICATE-----)?([A-Za-z0-9+/]+={0,2})(?:-----ENDCERTIFICATE-----)?$/

/** Reads one certificate from PEM, or from base64 of DER as metadata contains it. White space is ignored. */
export const fromText = (text: string): Result.Result<Certificate, CertificateReason> => {
  if (text.length > textMax) return unreadable
  const der = Buffer.from(form.exec(text.replace(/\s/g, ""))?.[1] ?? "", "base64")
  try {
    const x509 = new X509Certificate(der)
    // bytes after the certificate are ignored by the parser
    return x509.raw.equals(der) ? ofDer(x509) : unreadable
  } catch {
    return unreadable
  }
}

const ofDer = (x509: X509Certificate): Result.Result<Certificate, CertificateReason> => {
  const fingerprint = x509.fingerprint256
  const { asymmetricKeyDetails, asymmetricKeyType } = x509.publicKey
  if (asymmetricKeyType !== "rsa") {
    return Result.fail({ _tag: "CertificateNotRsa", fingerprint, keyType: asymmetricKeyType ?? "unknown" })
  }
  const bits = asymmetricKeyDetails?.modulusLength ?? 0
  if (bits < rsaBitsMin) {
    return Result.fail({ _tag: "CertificateKeyTooShort", fingerprint, bits, bitsMin: rsaBitsMin })
  }
  return Result.succeed({
    pem: x509.toString(),
    fingerprint,
    subject: x509.subject ?? "",
    notBefore: x509.validFromDate.getTime(),
    notAfter: x509.validToDate.getTime()
  })
}

const unreadable: Result.Result<never, CertificateReason> = Result.fail({ _tag: "CertificateUnreadable" })
