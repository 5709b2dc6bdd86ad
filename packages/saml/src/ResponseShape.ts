import { Result } from "effect"
import type { RuleReason, ShapeReason } from "./Refusal.ts"
import { attributeOf, childOf, elementsOf, nameOf, textOf } from "./Xml.ts"

/** How often a child may occur. */
type Times = "1" | "?" | "*"

/** The allowed content of an element. Everything else is refused. */
interface ElementRule {
  /** Attributes without a namespace; true if required. */
  readonly attributes?: Readonly<Record<string, boolean>>
  /** Attributes of a namespace. */
  readonly qualified?: ReadonlyArray<string>
  readonly children?: Readonly<Record<string, Times>>
  readonly text?: true
}

const message = { ID: true, Version: true, IssueInstant: true }
const algorithm = { Algorithm: true }
const text: ElementRule = { text: true }

/**
 * The elements of a response that a login needs. Left out on purpose: Extensions, Advice, Object, StatusDetail,
 * AuthzDecisionStatement, encrypted elements, and elements of other namespaces. Children may be in any order, except
 * the signature.
 */
const rules: Readonly<Record<string, ElementRule>> = {
  "samlp:Response": {
    attributes: { ...message, Destination: false, InResponseTo: false, Consent: false },
    children: { "saml:Issuer": "?", "ds:Signature": "?", "samlp:Status": "1", "saml:Assertion": "1" }
  },
  "samlp:Status": { children: { "samlp:StatusCode": "1", "samlp:StatusMessage": "?" } },
  "samlp:StatusCode": { attributes: { Value: true }, children: { "samlp:StatusCode": "?" } },
  "samlp:StatusMessage": text,

  "saml:Assertion": {
    attributes: message,
    children: {
      "saml:Issuer": "1",
      "ds:Signature": "?",
      "saml:Subject": "1",
      "saml:Conditions": "1",
      "saml:AuthnStatement": "*",
      "saml:AttributeStatement": "*"
    }
  },
  "saml:Issuer": { attributes: { Format: false }, text: true },
  "saml:Subject": { children: { "saml:NameID": "?", "saml:SubjectConfirmation": "*" } },
  "saml:NameID": {
    attributes: { Format: false, NameQualifier: false, SPNameQualifier: false, SPProvidedID: false },
    text: true
  },
  "saml:SubjectConfirmation": { attributes: { Method: true }, children: { "saml:SubjectConfirmationData": "?" } },
  "saml:SubjectConfirmationData": {
    attributes: { NotBefore: false, NotOnOrAfter: false, Recipient: false, InResponseTo: false, Address: false }
  },
  "saml:Conditions": {
    attributes: { NotBefore: false, NotOnOrAfter: false },
    children: { "saml:AudienceRestriction": "*", "saml:OneTimeUse": "?", "saml:ProxyRestriction": "?" }
  },
  "saml:AudienceRestriction": { children: { "saml:Audience": "*" } },
  "saml:Audience": text,
  "saml:OneTimeUse": {},
  "saml:ProxyRestriction": { attributes: { Count: false }, children: { "saml:Audience": "*" } },
  "saml:AuthnStatement": {
    attributes: { AuthnInstant: true, SessionIndex: false, SessionNotOnOrAfter: false },
    children: { "saml:SubjectLocality": "?", "saml:AuthnContext": "1" }
  },
  "saml:SubjectLocality": { attributes: { Address: false, DNSName: false } },
  "saml:AuthnContext": {
    children: {
      "saml:AuthnContextClassRef": "?",
      "saml:AuthnContextDeclRef": "?",
      "saml:AuthenticatingAuthority": "*"
    }
  },
  "saml:AuthnContextClassRef": text,
  "saml:AuthnContextDeclRef": text,
  "saml:AuthenticatingAuthority": text,
  "saml:AttributeStatement": { children: { "saml:Attribute": "*" } },
  "saml:Attribute": {
    attributes: { Name: true, NameFormat: false, FriendlyName: false },
    children: { "saml:AttributeValue": "*" }
  },
  // eduPersonTargetedID has a NameID as its value
  "saml:AttributeValue": { qualified: ["xsi:type", "xsi:nil"], children: { "saml:NameID": "?" }, text: true },

  // pysaml2 and xmlsec1 write an Id
  "ds:Signature": {
    attributes: { Id: false },
    children: { "ds:SignedInfo": "1", "ds:SignatureValue": "1", "ds:KeyInfo": "?" }
  },
  "ds:SignedInfo": {
    children: { "ds:CanonicalizationMethod": "1", "ds:SignatureMethod": "1", "ds:Reference": "1" }
  },
  "ds:CanonicalizationMethod": { attributes: algorithm, children: { "ec:InclusiveNamespaces": "?" } },
  "ds:SignatureMethod": { attributes: algorithm },
  "ds:Reference": {
    attributes: { URI: true },
    children: { "ds:Transforms": "1", "ds:DigestMethod": "1", "ds:DigestValue": "1" }
  },
  "ds:Transforms": { children: { "ds:Transform": "*" } },
  "ds:Transform": { attributes: algorithm, children: { "ec:InclusiveNamespaces": "?" } },
  "ec:InclusiveNamespaces": { attributes: { PrefixList: true } },
  "ds:DigestMethod": { attributes: algorithm },
  "ds:DigestValue": text,
  "ds:SignatureValue": text,
  "ds:KeyInfo": { children: { "ds:KeyName": "*", "ds:KeyValue": "*", "ds:X509Data": "*" } },
  "ds:KeyName": text,
  "ds:KeyValue": { children: { "ds:RSAKeyValue": "1" } },
  "ds:RSAKeyValue": { children: { "ds:Modulus": "1", "ds:Exponent": "1" } },
  "ds:Modulus": text,
  "ds:Exponent": text,
  "ds:X509Data": {
    children: { "ds:X509Certificate": "*", "ds:X509SubjectName": "*", "ds:X509IssuerSerial": "*", "ds:X509SKI": "*" }
  },
  "ds:X509Certificate": text,
  "ds:X509SubjectName": text,
  "ds:X509SKI": text,
  "ds:X509IssuerSerial": { children: { "ds:X509IssuerName": "1", "ds:X509SerialNumber": "1" } },
  "ds:X509IssuerName": text,
  "ds:X509SerialNumber": text
}

const encrypted = ["saml:EncryptedAssertion", "saml:EncryptedID", "saml:EncryptedAttribute"]

/** Real identity providers begin IDs with a digit, which XML forbids. Quotes and spaces must not reach an XPath. */
const idForm = /^[\w.-]{1,256}$/
const absoluteUri = /^[A-Za-z][\w+.-]*:/
const xmlns = "http://www.w3.org/2000/xmlns/"
const success = "urn:oasis:names:tc:SAML:2.0:status:Success"

type Checked = Result.Result<void, ShapeReason>

/** Checks that a document is a response with one assertion, and that everything in it is in the table. */
export const checkResponse = (root: Element): Result.Result<void, ShapeReason | RuleReason> => {
  if (nameOf(root) !== "samlp:Response") return Result.fail({ _tag: "NotAResponse", element: nameOf(root) })
  const failure = statusFailure(root)
  return failure === undefined ? checkElement(root) : Result.fail(failure)
}

/** Checks an element and everything in it against the table, and that no ID occurs twice in it. */
export const checkElement = (root: Element): Checked => checkTree(root, new Set())

/** Checked first for a better reason: failed responses often contain elements that are not in the table. */
const statusFailure = (response: Element): RuleReason | undefined => {
  const status = childOf(response, "samlp:Status")
  const code = childOf(status, "samlp:StatusCode")
  const value = attributeOf(code, "Value")
  if (status === undefined || value === null || value === success) return undefined
  const text = childOf(status, "samlp:StatusMessage")
  return {
    _tag: "StatusNotSuccess",
    status: value,
    detail: attributeOf(childOf(code, "samlp:StatusCode"), "Value"),
    message: text === undefined ? null : textOf(text)
  }
}

const checkTree = (element: Element, ids: Set<string>): Checked => {
  const name = nameOf(element)
  const rule = rules[name]
  if (rule === undefined) return Result.fail({ _tag: "ElementNotAllowed", element: name, parent: "The document" })
  const reason =
    attributeFault(element, name, rule) ??
    idFault(element, name, ids) ??
    childrenFault(element, name, rule) ??
    textFault(element, name, rule) ??
    signaturePlaceFault(element, name)
  if (reason !== undefined) return Result.fail(reason)
  for (const child of elementsOf(element)) {
    const checked = checkTree(child, ids)
    if (Result.isFailure(checked)) return checked
  }
  return Result.void
}

const attributeFault = (
  element: Element,
  name: string,
  { attributes = {}, qualified = [] }: ElementRule
): ShapeReason | undefined => {
  for (const attribute of Array.from(element.attributes)) {
    if (attribute.namespaceURI === xmlns) {
      if (!absoluteUri.test(attribute.value)) return { _tag: "NamespaceNotAbsolute", element: name }
      continue
    }
    const isPlain = !attribute.namespaceURI && attribute.prefix === null
    const isAllowed = isPlain ? Object.hasOwn(attributes, attribute.name) : qualified.includes(nameOf(attribute))
    if (!isAllowed) return { _tag: "AttributeNotAllowed", attribute: attribute.name, element: name }
  }
  const missing = Object.keys(attributes).find((key) => attributes[key] === true && !element.hasAttribute(key))
  return missing === undefined ? undefined : { _tag: "AttributeMissing", attribute: missing, element: name }
}

const idFault = (element: Element, name: string, ids: Set<string>): ShapeReason | undefined => {
  const id = attributeOf(element, "ID") ?? attributeOf(element, "Id")
  if (id === null) return undefined
  if (!idForm.test(id)) return { _tag: "IdInvalid", element: name }
  if (ids.has(id)) return { _tag: "IdRepeated", id }
  ids.add(id)
  return undefined
}

const childrenFault = (parent: Element, name: string, { children = {} }: ElementRule): ShapeReason | undefined => {
  const counts = new Map<string, number>()
  for (const child of elementsOf(parent)) {
    const element = nameOf(child)
    if (encrypted.includes(element)) return { _tag: "Encrypted", element }
    const times = Object.hasOwn(children, element) ? children[element] : undefined
    if (times === undefined) return { _tag: "ElementNotAllowed", element, parent: name }
    const count = (counts.get(element) ?? 0) + 1
    if (count > 1 && times !== "*") return { _tag: "ElementRepeated", element, parent: name }
    counts.set(element, count)
  }
  const missing = Object.keys(children).find((element) => children[element] === "1" && !counts.has(element))
  return missing === undefined ? undefined : { _tag: "ElementMissing", element: missing, parent: name }
}

/** Mixed content is refused: next to elements, only white space is allowed. */
const textFault = (element: Element, name: string, { text }: ElementRule): ShapeReason | undefined => {
  const nodes = Array.from(element.childNodes).filter((node) => node.nodeType !== 1)
  const allowed = text === true && elementsOf(element).length === 0
  const isFaulty = nodes.some((node) => node.nodeType !== 3 || !(allowed || /^\s*$/.test(node.nodeValue ?? "")))
  return isFaulty ? { _tag: "TextNotAllowed", element: name } : undefined
}

/**
 * The signature of a response or an assertion is its second child, after the Issuer (SAML core, sections 2.3.3, 3.2.2).
 */
const signaturePlaceFault = (element: Element, name: string): ShapeReason | undefined => {
  const names = elementsOf(element).map(nameOf)
  const at = names.indexOf("ds:Signature")
  return at === -1 || (at === 1 && names[0] === "saml:Issuer")
    ? undefined
    : { _tag: "SignatureMisplaced", parent: name }
}
