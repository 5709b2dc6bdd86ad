import type { ReadAssertion, ReadAuthentication, ReadConfirmation, ReadEnvelope, ReadNameId } from "./ResponseRules.ts"
import { attributeOf, childOf, childrenOf, elementsOf, textOf } from "./Xml.ts"

/** Reads a `samlp:Response` that has passed the shape gate. */
export const readEnvelope = (response: Element): ReadEnvelope => {
  const issuer = childOf(response, "saml:Issuer")
  return {
    version: attributeOf(response, "Version") ?? "",
    issueInstant: attributeOf(response, "IssueInstant") ?? "",
    issuer: issuer === undefined ? null : textOf(issuer),
    destination: attributeOf(response, "Destination"),
    inResponseTo: attributeOf(response, "InResponseTo"),
    status: attributeOf(childOf(childOf(response, "samlp:Status"), "samlp:StatusCode"), "Value")
  }
}

/** Reads a `saml:Assertion` that has passed the shape gate. */
export const readAssertion = (assertion: Element): ReadAssertion => {
  const issuer = childOf(assertion, "saml:Issuer")
  const subject = childOf(assertion, "saml:Subject")
  const conditions = childOf(assertion, "saml:Conditions")
  const nameId = childOf(subject, "saml:NameID")
  return {
    id: attributeOf(assertion, "ID") ?? "",
    version: attributeOf(assertion, "Version") ?? "",
    issueInstant: attributeOf(assertion, "IssueInstant") ?? "",
    issuer: issuer === undefined ? "" : textOf(issuer),
    issuerFormat: attributeOf(issuer, "Format"),
    nameId: nameId === undefined ? null : readNameId(nameId),
    confirmations: within(subject, "saml:SubjectConfirmation").map(readConfirmation),
    notBefore: attributeOf(conditions, "NotBefore"),
    notOnOrAfter: attributeOf(conditions, "NotOnOrAfter"),
    audienceRestrictions: within(conditions, "saml:AudienceRestriction").map((restriction) =>
      childrenOf(restriction, "saml:Audience").map(textOf)
    ),
    authentications: childrenOf(assertion, "saml:AuthnStatement").map(readAuthentication),
    attributes: readAttributes(assertion)
  }
}

const within = (parent: Element | undefined, name: string): ReadonlyArray<Element> =>
  parent === undefined ? [] : childrenOf(parent, name)

const readNameId = (nameId: Element): ReadNameId => ({
  value: textOf(nameId),
  format: attributeOf(nameId, "Format"),
  nameQualifier: attributeOf(nameId, "NameQualifier"),
  spNameQualifier: attributeOf(nameId, "SPNameQualifier")
})

const readConfirmation = (confirmation: Element): ReadConfirmation => {
  const data = childOf(confirmation, "saml:SubjectConfirmationData")
  return {
    method: attributeOf(confirmation, "Method") ?? "",
    recipient: attributeOf(data, "Recipient"),
    notBefore: attributeOf(data, "NotBefore"),
    notOnOrAfter: attributeOf(data, "NotOnOrAfter"),
    inResponseTo: attributeOf(data, "InResponseTo")
  }
}

const readAuthentication = (statement: Element): ReadAuthentication => ({
  authnInstant: attributeOf(statement, "AuthnInstant") ?? "",
  sessionNotOnOrAfter: attributeOf(statement, "SessionNotOnOrAfter"),
  sessionIndex: attributeOf(statement, "SessionIndex")
})

const readAttributes = (assertion: Element): ReadAssertion["attributes"] => {
  const attributes = new Map<string, ReadonlyArray<string>>()
  for (const statement of childrenOf(assertion, "saml:AttributeStatement")) {
    for (const attribute of childrenOf(statement, "saml:Attribute")) {
      const name = attributeOf(attribute, "Name") ?? ""
      const texts = childrenOf(attribute, "saml:AttributeValue").filter((value) => elementsOf(value).length === 0)
      attributes.set(name, [...(attributes.get(name) ?? []), ...texts.map(textOf)])
    }
  }
  return attributes
}
