import { type Instant, toRfc3339 } from "@wcs/domain/shared/Instant"
import { Data } from "effect"

/** The text is outside the subset of XML that is accepted. */
export type TextReason =
  | { readonly _tag: "TooLarge"; readonly bytesMax: number }
  | { readonly _tag: "NotBase64" }
  | { readonly _tag: "NotUtf8" }
  | { readonly _tag: "EncodingUnsupported"; readonly encoding: string }
  | { readonly _tag: "ForbiddenCharacter"; readonly codePoint: number }
  | { readonly _tag: "MarkupDeclaration" }
  | { readonly _tag: "ProcessingInstruction" }
  | { readonly _tag: "EntityUnknown" }
  | { readonly _tag: "NotWellFormed"; readonly offset: number }
  | {
      readonly _tag: "TooComplex"
      readonly what: "depth" | "elements" | "attributes of an element"
      readonly max: number
    }

/** The XML is not a supported response. */
export type ShapeReason =
  | { readonly _tag: "NotAResponse"; readonly element: string }
  | { readonly _tag: "Encrypted"; readonly element: string }
  | { readonly _tag: "ElementNotAllowed"; readonly element: string; readonly parent: string }
  | { readonly _tag: "ElementMissing"; readonly element: string; readonly parent: string }
  | { readonly _tag: "ElementRepeated"; readonly element: string; readonly parent: string }
  | { readonly _tag: "AttributeNotAllowed"; readonly attribute: string; readonly element: string }
  | { readonly _tag: "AttributeMissing"; readonly attribute: string; readonly element: string }
  | { readonly _tag: "TextNotAllowed"; readonly element: string }
  | { readonly _tag: "NamespaceNotAbsolute"; readonly element: string }
  | { readonly _tag: "IdInvalid"; readonly element: string }
  | { readonly _tag: "IdRepeated"; readonly id: string }
  | { readonly _tag: "SignatureMisplaced"; readonly parent: string }

/** The response has no valid signature by a key of the connection. */
export type SignatureReason =
  | { readonly _tag: "NotSigned" }
  | {
      readonly _tag: "AlgorithmNotAllowed"
      readonly use: "signature" | "digest" | "canonicalization"
      readonly algorithm: string
    }
  | { readonly _tag: "TransformsNotAllowed"; readonly transforms: ReadonlyArray<string> }
  | { readonly _tag: "ReferenceForeign"; readonly element: string }
  | { readonly _tag: "SignatureMalformed"; readonly element: string }
  | { readonly _tag: "ContentAltered"; readonly element: string }
  /** `fingerprint` is of the certificate inside the response, for the administrator to compare. It is never trusted. */
  | { readonly _tag: "SignerUnknown"; readonly element: string; readonly fingerprint: string | null }

/** The response is signed, but its claims do not fit this login. */
export type RuleReason =
  | {
      readonly _tag: "StatusNotSuccess"
      readonly status: string
      readonly detail: string | null
      readonly message: string | null
    }
  | { readonly _tag: "VersionUnsupported"; readonly element: string; readonly version: string }
  | { readonly _tag: "TimeMalformed"; readonly what: string; readonly text: string }
  | { readonly _tag: "IssuerMismatch"; readonly element: string; readonly issuer: string; readonly expected: string }
  | { readonly _tag: "DestinationMismatch"; readonly destination: string; readonly expected: string }
  | { readonly _tag: "NotYetValid"; readonly what: string; readonly instant: Instant; readonly now: Instant }
  | { readonly _tag: "Expired"; readonly what: string; readonly instant: Instant; readonly now: Instant }
  | { readonly _tag: "TooOld"; readonly ageSeconds: number; readonly ageSecondsMax: number }
  | { readonly _tag: "AudienceMissing"; readonly expected: string }
  | { readonly _tag: "AudienceMismatch"; readonly audiences: ReadonlyArray<string>; readonly expected: string }
  | { readonly _tag: "BearerMissing"; readonly methods: ReadonlyArray<string> }
  | { readonly _tag: "ConfirmationUnlimited" }
  | { readonly _tag: "ConfirmationNotBefore" }
  | { readonly _tag: "RecipientMismatch"; readonly recipient: string | null; readonly expected: string }
  | { readonly _tag: "Unsolicited" }
  | { readonly _tag: "RequestMismatch" }
  | { readonly _tag: "RelayStateMismatch" }
  | { readonly _tag: "AuthnStatementMissing" }
  | { readonly _tag: "NameIdMissing" }
  | { readonly _tag: "NameIdFormat"; readonly format: string | null }
  | { readonly _tag: "NameIdInvalid" }
  | { readonly _tag: "NameIdQualifier"; readonly qualifier: string; readonly expected: string }

/** The identity provider's metadata cannot be used. */
export type MetadataReason =
  | { readonly _tag: "NotMetadata"; readonly element: string }
  | { readonly _tag: "MetadataExpired"; readonly validUntil: Instant }
  | { readonly _tag: "EntityIdInvalid" }
  | { readonly _tag: "NotAnIdentityProvider" }
  | { readonly _tag: "RedirectBindingMissing" }
  | { readonly _tag: "SsoUrlRefused"; readonly url: string }
  | { readonly _tag: "CertificateMissing" }
  | { readonly _tag: "CertificatesTooMany"; readonly count: number; readonly countMax: number }

/** A certificate cannot be used to verify signatures. */
export type CertificateReason =
  | { readonly _tag: "CertificateUnreadable" }
  | { readonly _tag: "CertificateNotRsa"; readonly fingerprint: string; readonly keyType: string }
  | {
      readonly _tag: "CertificateKeyTooShort"
      readonly fingerprint: string
      readonly bits: number
      readonly bitsMin: number
    }

export type ResponseReason = TextReason | ShapeReason | SignatureReason | RuleReason
export type UploadReason = TextReason | MetadataReason | CertificateReason

/** A login response is refused. `message` is for the administrator. Do not show it to the person who logs in. */
export class ResponseRefused extends Data.TaggedError("ResponseRefused")<{ readonly reason: ResponseReason }> {
  override get message(): string {
    return explain(this.reason)
  }
}

/** Metadata of an identity provider, or a certificate, is refused. `message` is for the administrator. */
export class UploadRefused extends Data.TaggedError("UploadRefused")<{ readonly reason: UploadReason }> {
  override get message(): string {
    return explain(this.reason)
  }
}

type Reason = ResponseReason | UploadReason

const quotedMax = 120

/** Text of a response in a sentence: one line, cut. It may be written by an attacker. */
const quoted = (text: string): string => {
  const line = text.replace(/\s+/g, " ")
  return `"${line.length > quotedMax ? `${line.slice(0, quotedMax)}…` : line}"`
}

const list = (texts: ReadonlyArray<string>): string =>
  texts.length === 0 ? "none" : texts.slice(0, 5).map(quoted).join(", ")

/** One sentence per reason: what is wrong, and what to change at the identity provider or here. */
const sentences: { readonly [Tag in Reason["_tag"]]: (facts: Extract<Reason, { readonly _tag: Tag }>) => string } = {
  TooLarge: ({ bytesMax }) =>
    `The document is larger than ${bytesMax} bytes. Send fewer attributes or groups, or upload the metadata of one entity.`,
  NotBase64: () => "SAMLResponse is not base64. Use the HTTP-POST binding without changes to the form field.",
  NotUtf8: () => "The document is not UTF-8. Configure the identity provider to send UTF-8 without a byte order mark.",
  EncodingUnsupported: ({ encoding }) => `The document declares encoding ${quoted(encoding)}. Send UTF-8.`,
  ForbiddenCharacter: ({ codePoint }) =>
    `The document contains the control character U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}. Remove it from the user's attributes.`,
  MarkupDeclaration: () => "The document contains a DOCTYPE, a comment or a CDATA section. Remove these.",
  ProcessingInstruction: () => "The document contains a processing instruction. Remove it.",
  EntityUnknown: () => "The document contains an entity or character reference that is not predefined. Remove it.",
  NotWellFormed: ({ offset }) => `The XML is not well-formed at character ${offset}.`,
  TooComplex: ({ max, what }) => `The XML exceeds the limit of ${max} for the ${what}.`,

  NotAResponse: ({ element }) => `The document is ${quoted(element)}. Send a SAML 2.0 Response.`,
  Encrypted: ({ element }) => `The response contains ${element}. Turn off assertion encryption for this application.`,
  ElementNotAllowed: ({ element, parent }) =>
    `The element ${parent} contains the element ${quoted(element)}, which is not supported. Remove it at the identity provider.`,
  ElementMissing: ({ element, parent }) => `The element ${parent} has no ${element}.`,
  ElementRepeated: ({ element, parent }) => `The element ${parent} has more than one ${element}. Send exactly one.`,
  AttributeNotAllowed: ({ attribute, element }) =>
    `The element ${element} has the XML attribute ${quoted(attribute)}, which is not supported. Remove it at the identity provider.`,
  AttributeMissing: ({ attribute, element }) => `The element ${element} has no XML attribute ${attribute}.`,
  TextNotAllowed: ({ element }) => `The element ${element} contains text where only elements are allowed.`,
  NamespaceNotAbsolute: ({ element }) => `The element ${element} declares a namespace that is not an absolute URI.`,
  IdInvalid: ({ element }) => `The ID of ${element} is empty, too long or contains characters that are not allowed.`,
  IdRepeated: ({ id }) => `The ID ${quoted(id)} occurs more than once. The response may be forged.`,
  SignatureMisplaced: ({ parent }) => `The signature of ${parent} does not directly follow its Issuer.`,

  NotSigned: () => "Neither the response nor the assertion is signed. Turn on signing at the identity provider.",
  AlgorithmNotAllowed: ({ algorithm, use }) =>
    `The ${use} algorithm ${quoted(algorithm)} is not allowed. Configure RSA with SHA-256 and exclusive canonicalization.`,
  TransformsNotAllowed: ({ transforms }) =>
    `The signature has the transforms ${list(transforms)}. Only enveloped-signature and then exclusive canonicalization are allowed.`,
  ReferenceForeign: ({ element }) =>
    `The signature in ${element} refers to another element. The response may be forged.`,
  SignatureMalformed: ({ element }) => `The signature or digest value in ${element} is not base64 of the right length.`,
  ContentAltered: ({ element }) => `The element ${element} was changed after it was signed, or was signed wrongly.`,
  SignerUnknown: ({ element, fingerprint }) =>
    `The element ${element} is not signed by a certificate of this connection. ${
      fingerprint === null ? "" : `The response names the certificate with SHA-256 fingerprint ${fingerprint}. `
    }If the identity provider has a new certificate, upload its current metadata.`,

  StatusNotSuccess: ({ detail, message, status }) =>
    `The identity provider refused the login with status ${quoted(status)}${detail === null ? "" : `, ${quoted(detail)}`}${
      message === null ? "" : `: ${quoted(message)}`
    }. Look into the identity provider's log.`,
  VersionUnsupported: ({ element, version }) =>
    `The ${element} has SAML version ${quoted(version)}. Only 2.0 is supported.`,
  TimeMalformed: ({ text, what }) => `The ${what} is ${quoted(text)}, which is not a UTC time.`,
  IssuerMismatch: ({ element, expected, issuer }) =>
    `The Issuer of the ${element} is ${quoted(issuer)}, but this connection expects ${quoted(expected)}. Upload the metadata of the identity provider in use.`,
  DestinationMismatch: ({ destination, expected }) =>
    `The Destination of the response is ${quoted(destination)}. Set the assertion consumer service URL to ${quoted(expected)}.`,
  NotYetValid: ({ instant, now, what }) =>
    `The ${what} is ${toRfc3339(instant)}, but the time here is ${toRfc3339(now)}. Set the identity provider's clock.`,
  Expired: ({ instant, now, what }) =>
    `The ${what} is ${toRfc3339(instant)}, but the time here is ${toRfc3339(now)}. Log in again, or set the identity provider's clock.`,
  TooOld: ({ ageSeconds, ageSecondsMax }) =>
    `The response was issued ${ageSeconds} seconds ago; the limit is ${ageSecondsMax}. Log in again, or set the identity provider's clock.`,
  AudienceMissing: ({ expected }) => `The assertion has no audience. Set the audience to ${quoted(expected)}.`,
  AudienceMismatch: ({ audiences, expected }) =>
    `The audience of the assertion is ${list(audiences)}. Set the audience to ${quoted(expected)}.`,
  BearerMissing: ({ methods }) =>
    `The subject confirmation methods are: ${list(methods)}. Configure the method bearer.`,
  ConfirmationUnlimited: () => "The bearer confirmation has no NotOnOrAfter. Configure a lifetime for assertions.",
  ConfirmationNotBefore: () => "The bearer confirmation has a NotBefore, which SAML forbids. Remove it.",
  RecipientMismatch: ({ expected, recipient }) =>
    `The Recipient of the assertion is ${recipient === null ? "missing" : quoted(recipient)}. Set the assertion consumer service URL to ${quoted(expected)}.`,
  Unsolicited: () =>
    "The response answers no login request. Start the login here: logins that start at the identity provider are refused.",
  RequestMismatch: () => "The response answers another login request. Log in again in the same browser.",
  RelayStateMismatch: () =>
    "RelayState was not returned unchanged. Remove any default RelayState at the identity provider.",
  AuthnStatementMissing: () => "The assertion has no AuthnStatement. Send an assertion about an authentication.",
  NameIdMissing: () => "The assertion has no NameID. Configure a persistent NameID.",
  NameIdFormat: ({ format }) =>
    `The NameID has the format ${format === null ? "unspecified" : quoted(format)}. Configure the format persistent.`,
  NameIdInvalid: () =>
    "The NameID is empty, longer than 256 characters, or has control characters or white space around it.",
  NameIdQualifier: ({ expected, qualifier }) =>
    `The NameID is qualified by ${quoted(qualifier)}, but this connection expects ${quoted(expected)}.`,

  NotMetadata: ({ element }) =>
    `The document is ${quoted(element)}. Upload SAML 2.0 metadata with one EntityDescriptor as its root.`,
  MetadataExpired: ({ validUntil }) =>
    `The metadata was valid until ${toRfc3339(validUntil)}. Download it again from the identity provider.`,
  EntityIdInvalid: () => "The entityID is missing, longer than 1024 characters, or is not an absolute URI.",
  NotAnIdentityProvider: () =>
    "The metadata has no IDPSSODescriptor for SAML 2.0. Upload the metadata of an identity provider.",
  RedirectBindingMissing: () => "The metadata has no SingleSignOnService with the HTTP-Redirect binding. Turn it on.",
  SsoUrlRefused: ({ url }) =>
    `The single sign-on URL ${quoted(url)} is refused. It must be https, without user name, password and fragment.`,
  CertificateMissing: () => "The metadata has no signing certificate. Turn on signing at the identity provider.",
  CertificatesTooMany: ({ count, countMax }) =>
    `There are ${count} signing certificates; the limit is ${countMax}. Remove unused ones.`,

  CertificateUnreadable: () => "A certificate is not readable. Provide one X.509 certificate as PEM or base64.",
  CertificateNotRsa: ({ fingerprint, keyType }) =>
    `The certificate ${fingerprint} has a key of type ${keyType}. Provide one with an RSA key.`,
  CertificateKeyTooShort: ({ bits, bitsMin, fingerprint }) =>
    `The certificate ${fingerprint} has an RSA key of ${bits} bits. Provide one with at least ${bitsMin}.`
}

/** A sentence for the administrator. It never contains the name identifier, attribute values or request ids. */
export const explain = (reason: Reason): string => (sentences[reason._tag] as (facts: Reason) => string)(reason)
