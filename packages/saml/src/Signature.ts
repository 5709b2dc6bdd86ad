import { constants, createHash, createVerify, type KeyLike, X509Certificate } from "node:crypto"
import { Result } from "effect"
import {
  ExclusiveCanonicalization,
  findAncestorNs,
  type HashAlgorithm,
  type SignatureAlgorithm,
  SignedXml
} from "xml-crypto"
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

const verifiers = registry(
  Object.fromEntries(
    Object.entries(signatures).map(([uri, hash]) => [
      uri,
      class implements SignatureAlgorithm {
        getAlgorithmName = () => uri
        getSignature = (): never => {
          throw new Error("responses are verified here, never signed")
        }
        verifySignature = (text: string, key: KeyLike, signatureValue: string) =>
          isSignedBy(String(key), hash, text, signatureValue)
      }
    ])
  )
)

/**
 * Verifies the signature of a response or an assertion, and returns the canonical XML that was signed. Read only that
 * XML, not the document. `text` is the document that `element` was parsed from; both have passed the gates.
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
  const signer = signerOf(signature, certificates)
  if (signer === undefined) {
    return Result.fail({ _tag: "SignerUnknown", element: nameOf(element), fingerprint: offeredFingerprint(signature) })
  }
  const xml = signedXml(text, signature, signer)
  return xml === undefined ? Result.fail({ _tag: "ContentAltered", element: nameOf(element) }) : Result.succeed(xml)
}

/** Checks all algorithms, transforms and the reference before the library sees the signature. */
const profileFault = (element: Element, signature: Element): SignatureReason | undefined => {
  const signedInfo = childOf(signature, "ds:SignedInfo")
  const reference = childOf(signedInfo, "ds:Reference")
  const transforms = childOf(reference, "ds:Transforms")
  const algorithmOf = (parent: Element | undefined, name: string) =>
    attributeOf(childOf(parent, name), "Algorithm") ?? ""

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

/** Whether an element contains canonical base64, apart from white space, of the given number of bytes. */
const isBase64 = (element: Element | undefined, bytes?: number): boolean => {
  const text = element === undefined ? "" : textOf(element).replace(/[ \t\r\n]/g, "")
  const decoded = Buffer.from(text, "base64")
  return text !== "" && decoded.toString("base64") === text && (bytes === undefined || decoded.length === bytes)
}

/**
 * Finds the certificate whose key signed SignedInfo. The library checks the key last, after it has canonicalized the
 * whole document. This check comes first, so that a forged document costs little, even with many certificates.
 */
const signerOf = (signature: Element, certificates: ReadonlyArray<Certificate>): Certificate | undefined => {
  const signedInfo = childOf(signature, "ds:SignedInfo")
  const value = childOf(signature, "ds:SignatureValue")
  if (signedInfo === undefined || value === undefined) return undefined
  const ancestorNamespaces = findAncestorNs(signature.ownerDocument, "//*[local-name()='SignedInfo']")
  const clone = signedInfo.cloneNode(true) as Element // canonicalization may add namespaces to it
  const canonical = new ExclusiveCanonicalization().process(clone, { ancestorNamespaces })
  const method = attributeOf(childOf(signedInfo, "ds:SignatureMethod"), "Algorithm") ?? ""
  return certificates.find(({ pem }) => isSignedBy(pem, signatures[method] ?? "", canonical, textOf(value)))
}

const isSignedBy = (pem: string, hash: string, text: string, signatureValue: string): boolean =>
  createVerify(hash)
    .update(text, "utf8")
    .verify({ key: pem, padding: constants.RSA_PKCS1_PADDING }, signatureValue, "base64")

/** The canonical XML that the signature covers; undefined if it does not verify. */
const signedXml = (text: string, signature: Element, { pem }: Certificate): string | undefined => {
  const signed = new SignedXml({ publicCert: pem, getCertFromKeyInfo: () => null })
  const { [canonicalization]: exclusive, [enveloped]: withoutSignature } = signed.CanonicalizationAlgorithms
  if (exclusive === undefined || withoutSignature === undefined) throw new Error("xml-crypto lacks its transforms")
  signed.CanonicalizationAlgorithms = registry({ [canonicalization]: exclusive, [enveloped]: withoutSignature })
  signed.HashAlgorithms = hashes
  signed.SignatureAlgorithms = verifiers
  try {
    signed.loadSignature(signature)
    const isVerified = signed.checkSignature(text)
    const [xml, ...others] = signed.getSignedReferences()
    return isVerified && others.length === 0 ? xml : undefined
  } catch {
    return undefined
  }
}

/** The fingerprint of the certificate in KeyInfo. It is shown and never trusted. */
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
