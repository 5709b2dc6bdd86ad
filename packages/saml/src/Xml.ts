/** The namespaces that are read here, by the prefix that this package writes them with. */
export const namespaces = {
  samlp: "urn:oasis:names:tc:SAML:2.0:protocol",
  saml: "urn:oasis:names:tc:SAML:2.0:assertion",
  md: "urn:oasis:names:tc:SAML:2.0:metadata",
  ds: "http://www.w3.org/2000/09/xmldsig#",
  ec: "http://www.w3.org/2001/10/xml-exc-c14n#",
  xsi: "http://www.w3.org/2001/XMLSchema-instance"
} as const

const prefixes = new Map<string | null, string>(Object.entries(namespaces).map(([prefix, uri]) => [uri, prefix]))

/** The name with this package's prefix, for example `samlp:Response`. Other namespaces are written in braces. */
export const nameOf = (node: Element | Attr): string => {
  const local = node.localName ?? node.nodeName
  const prefix = prefixes.get(node.namespaceURI)
  return prefix === undefined ? `{${node.namespaceURI ?? ""}}${local}` : `${prefix}:${local}`
}

const isElement = (node: Node): node is Element => node.nodeType === 1

export const elementsOf = (parent: Element): ReadonlyArray<Element> => Array.from(parent.childNodes).filter(isElement)

/** The child elements of this name, for example `saml:Audience`. */
export const childrenOf = (parent: Element, name: string): ReadonlyArray<Element> =>
  elementsOf(parent).filter((child) => nameOf(child) === name)

export const childOf = (parent: Element | undefined, name: string): Element | undefined =>
  parent === undefined ? undefined : childrenOf(parent, name)[0]

export const textOf = (element: Element): string => element.textContent ?? ""

/** The value of an attribute without a namespace, or null. */
export const attributeOf = (element: Element | undefined, name: string): string | null =>
  element?.hasAttribute(name) === true ? element.getAttribute(name) : null

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;"
}

/** Text as it may be written into an element or an attribute. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => escapes[character] ?? "")
