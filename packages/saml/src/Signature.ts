import { constants, createHash, createVerify, type KeyLike, X509Certificate } from "node:crypto"
import { Result } from "effect"
import { type HashAlgorithm, type SignatureAlgorithm, SignedXml } from "xml-crypto"
import type { Certificate } from "./Certificate.ts"
import type { SignatureReason } from "./Refusal.ts"
import { attributeOf, childOf, childrenOf, nameOf, textOf } from "./Xml.ts"

const canonicalization = "http://www.w3.org/2001/10/xml-exc-c14n#"
const enveloped = "http://www.w3.org/2000/09/xmldsig#enveloped-signature"

/** Signatures: RSA with PKCS #1 v1.5 padding. SHA-1, HMAC, DSA, ECDSA and PSS are left out. */
const signatures: Readonly<Record<string, string>> = {
  "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256": "sha256",
  "http://www.w3.org/2001/04/xmldsig-more#rsa-sha384": "sha384",
  "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512": "sha512"
}
const digests: Readonly<Record<string, { readonly hash: string; readonly bytes: number }>> = {
  "http://www.w3.org/2001/04/xmlenc#sha256": { hash: "sha256", bytes: 32 },
  "http://www.w3.org/2001/04/xmldsig-more#sha384": { hash: "sha384", bytes: 48 },
  "http://www.w3.org/2001/04/xmlenc#sha512": { hash: "sha512", bytes: 64 }
}

/** A registry without a prototype, where a name such as `constructor` finds nothing. */
const registry = <A>(entries: Readonly<Record<string, A>>): Record<string, A> =>
  Object.assign(Object.create(null), entries)

const hashes = registry(
  Object.fromEntries(
    Object.entries(digests).map(([uri, { hash }]) => [
      uri,
      class implements HashAlgorithm {
        getAlgorithmName = () => uri
        getHash = (xml: string) => createHash(hash).update(xml, "utf8").digest("base64")
      }
    ])
  )
)

/**
 * Verifies the signature of a response or an assertion, and returns the canonical XML that was signed: read that, and
 * nothing else of the document. `text` is the document that `element` was parsed from; both have passed the gates.
 */
export const verify = (
  text: string,
  element: Element,
  certificates: ReadonlyArray<Certificate>
): Result.Result<string, SignatureReason> => {
  const signature = childOf(element, "ds:Signature")
  if (signature === undefined) return Result.fail({ _tag: "NotSigned" })
  const fault = profileFault(element, signature)
  if (fault !== undefined) return Result.fail(fault)
  for (const { pem } of certificates) {
    const attempt = attemptWith(pem, text, signature)
    if (attempt._tag === "Verified") return Result.succeed(attempt.xml)
    // The digest does not depend on the certificate.
    if (attempt._tag === "Altered") return Result.fail({ _tag: "ContentAltered", element: nameOf(element) })
  }
  return Result.fail({ _tag: "SignerUnknown", element: nameOf(element), fingerprint: offeredFingerprint(signature) })
}

/** Everything that a signature says of itself must be as expected before the library looks at it. */
const profileFault = (element: Element, signature: Element): SignatureReason | undefined => {
  const signedInfo = childOf(signature, "ds:SignedInfo")
  const reference = childOf(signedInfo, "ds:Reference")
  const transforms = childOf(reference, "ds:Transforms")
  const algorithmOf = (parent: Element | undefined, name: string) => attributeOf(childOf(parent, name), "Algorithm") ?? ""

  const canonical = algorithmOf(signedInfo, "ds:CanonicalizationMethod")
  if (canonical !== canonicalization) {
    return { _tag: "AlgorithmNotAllowed", use: "canonicalization", algorithm: canonical }
  }
  const method = algorithmOf(signedInfo, "ds:SignatureMethod")
  if (!Object.hasOwn(signatures, method)) return { _tag: "AlgorithmNotAllowed", use: "signature", algorithm: method }
  const digestMethod = algorithmOf(reference, "ds:DigestMethod")
  const digest = Object.hasOwn(digests, digestMethod) ? digests[digestMethod] : undefined
  if (digest === undefined) return { _tag: "AlgorithmNotAllowed", use: "digest", algorithm: digestMethod }

  const steps = transforms === undefined ? [] : childrenOf(transforms, "ds:Transform")
  const named = steps.map((step) => attributeOf(step, "Algorithm") ?? "")
  const [first] = steps
  const isUsual = named.length === 2 && named[0] === enveloped && named[1] === canonicalization
  if (!isUsual || childOf(first, "ec:InclusiveNamespaces") !== undefined) {
    return { _tag: "TransformsNotAllowed", transforms: named }
  }
  if (attributeOf(reference, "URI") !== `#${attributeOf(element, "ID")}`) {
    return { _tag: "ReferenceForeign", element: nameOf(element) }
  }
  const isWritten =
    isBase64(childOf(signature, "ds:SignatureValue")) && isBase64(childOf(reference, "ds:DigestValue"), digest.bytes)
  return isWritten ? undefined : { _tag: "SignatureMalformed", element: nameOf(element) }
}

/** Base64 in its one spelling, apart from white space, and of so many bytes where that is known. */
const isBase64 = (element: Element | undefined, bytes?: number): boolean => {
  const text = element === undefined ? "" : textOf(element).replace(/[ \t\r\n]/g, "")
  const decoded = Buffer.from(text, "base64")
  return text !== "" && decoded.toString("base64") === text && (bytes === undefined || decoded.length === bytes)
}

type Attempt =
  | { readonly _tag: "Verified"; readonly xml: string }
  /** The digest matches, but this key did not sign it. */
  | { readonly _tag: "OtherKey" }
  /** The digest does not match, or the library refuses the document. */
  | { readonly _tag: "Altered" }

/** One certificate, one `SignedXml`: nothing that one attempt has found can be left to the next. */
const attemptWith = (publicCert: string, text: string, signature: Element): Attempt => {
  let reachedKey = false
  const signed = new SignedXml({ publicCert, getCertFromKeyInfo: () => null })
  const { [canonicalization]: exclusive, [enveloped]: withoutSignature } = signed.CanonicalizationAlgorithms
  if (exclusive === undefined || withoutSignature === undefined) throw new Error("xml-crypto lacks its transforms")
  signed.CanonicalizationAlgorithms = registry({ [canonicalization]: exclusive, [enveloped]: withoutSignature })
  signed.HashAlgorithms = hashes
  signed.SignatureAlgorithms = registry(
    Object.fromEntries(
      Object.keys(signatures).map((uri) => [
        uri,
        verifierOf(uri, () => {
          reachedKey = true
        })
      ])
    )
  )
  try {
    signed.loadSignature(signature)
    const isVerified = signed.checkSignature(text)
    const [xml, ...others] = signed.getSignedReferences()
    return isVerified && xml !== undefined && others.length === 0 ? { _tag: "Verified", xml } : { _tag: "Altered" }
  } catch {
    return { _tag: reachedKey ? "OtherKey" : "Altered" }
  }
}

const verifierOf = (uri: string, onKey: () => void) =>
  class implements SignatureAlgorithm {
    getAlgorithmName = () => uri
    getSignature = (): never => {
      throw new Error("responses are verified here, never signed")
    }
    verifySignature = (material: string, key: KeyLike, signatureValue: string): boolean => {
      onKey()
      return createVerify(signatures[uri] ?? "")
        .update(material, "utf8")
        .verify({ key: asKey(key), padding: constants.RSA_PKCS1_PADDING }, signatureValue, "base64")
    }
  }

const asKey = (key: KeyLike): string => {
  if (typeof key !== "string") throw new Error("a certificate is PEM here")
  return key
}

/** The fingerprint of the certificate in KeyInfo, which is shown and never trusted. */
const offeredFingerprint = (signature: Element): string | null => {
  const data = childOf(childOf(signature, "ds:KeyInfo"), "ds:X509Data")
  const certificate = childOf(data, "ds:X509Certificate")
  if (certificate === undefined) return null
  try {
    return new X509Certificate(Buffer.from(textOf(certificate), "base64")).fingerprint256
  } catch {
    return null
  }
}
