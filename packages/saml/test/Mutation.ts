import { DOMParser, XMLSerializer } from "@xmldom/xmldom"
import * as fc from "fast-check"
import { toBase64 } from "./corpus/Forge.ts"
import type { Post } from "./corpus/Hostile.ts"
import { type Good, seeds } from "./Good.ts"

/** A good response, and the same with one random change. */
export interface Mutant {
  readonly good: Good
  readonly post: Post
}

const seed = fc.constantFrom(...seeds)
const xmlOf = ({ post }: Good) => Buffer.from(post.samlResponse, "base64")
const mutantOf = (good: Good, xml: string | Uint8Array): Mutant => ({
  good,
  post: { ...good.post, samlResponse: toBase64(xml) }
})

/** One bit of the XML flipped. */
export const flippedBit: fc.Arbitrary<Mutant> = fc
  .record({ good: seed, position: fc.nat(), bit: fc.nat(7) })
  .map(({ bit, good, position }) => {
    const bytes = xmlOf(good)
    const at = position % bytes.length
    bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
    return mutantOf(good, bytes)
  })

/** One character of the form field replaced. */
export const flippedField: fc.Arbitrary<Mutant> = fc
  .record({ good: seed, position: fc.nat(), character: fc.constantFrom(..."ABz09+/=-_ \n") })
  .map(({ character, good, position }) => {
    const field = good.post.samlResponse
    const at = position % field.length
    return { good, post: { ...good.post, samlResponse: field.slice(0, at) + character + field.slice(at + 1) } }
  })

/** A change of one element, which may use another element or a text. */
type Change = (element: Element, other: Element, text: string) => void

const attributeOf = (element: Element, text: string): Attr | undefined =>
  element.attributes[text.length % Math.max(element.attributes.length, 1)]
const renamed = (element: Element, name: string) => {
  const copy = element.ownerDocument.createElementNS(element.namespaceURI, name)
  for (const attribute of Array.from(element.attributes)) copy.setAttribute(attribute.name, attribute.value)
  while (element.firstChild !== null) copy.appendChild(element.firstChild)
  element.parentNode?.replaceChild(copy, element)
}

const changes: Readonly<Record<string, Change>> = {
  "delete the element": (element) => element.parentNode?.removeChild(element),
  "duplicate the element": (element) => element.parentNode?.insertBefore(element.cloneNode(true), element),
  "move the element into another": (element, other) => other.appendChild(element),
  "copy the element into another": (element, other) => other.appendChild(element.cloneNode(true)),
  "put the element before another": (element, other) => other.parentNode?.insertBefore(element, other),
  "replace the element by another": (element, other) =>
    element.parentNode?.replaceChild(other.cloneNode(true), element),
  "unwrap the element": (element) => {
    while (element.firstChild !== null) element.parentNode?.insertBefore(element.firstChild, element)
    element.parentNode?.removeChild(element)
  },
  "rename the element": (element, other) => renamed(element, other.tagName),
  "delete an attribute": (element, _, text) => {
    const attribute = attributeOf(element, text)
    if (attribute !== undefined) element.removeAttribute(attribute.name)
  },
  "change an attribute": (element, _, text) => {
    const attribute = attributeOf(element, text)
    if (attribute !== undefined) element.setAttribute(attribute.name, text)
  },
  "copy an attribute": (element, other, text) => {
    const attribute = attributeOf(other, text)
    if (attribute !== undefined) element.setAttribute(attribute.name, attribute.value)
  },
  "add an attribute": (element, _, text) => element.setAttribute("ID", text),
  "add text": (element, _, text) => element.appendChild(element.ownerDocument.createTextNode(text)),
  "add a comment": (element, _, text) =>
    element.insertBefore(element.ownerDocument.createComment(text), element.firstChild),
  "replace the text": (element, _, text) => {
    element.textContent = text
  }
}

const changed = (good: Good, change: Change, first: number, second: number, text: string): Mutant => {
  const document = new DOMParser().parseFromString(xmlOf(good).toString(), "text/xml")
  const elements = Array.from(document.getElementsByTagName("*"))
  const [element, other] = [elements[first % elements.length], elements[second % elements.length]]
  try {
    if (element !== undefined && other !== undefined) change(element, other, text)
  } catch {
    // an element cannot be put into itself: no change then
  }
  return mutantOf(good, new XMLSerializer().serializeToString(document))
}

/** One element, attribute or text deleted, added, moved or changed. */
export const changedNode: fc.Arbitrary<Mutant> = fc
  .record({
    good: seed,
    change: fc.constantFrom(...Object.keys(changes)),
    first: fc.nat(200),
    second: fc.nat(200),
    text: fc.constantFrom("", " ", "\n  ", "_x", "2.0", "mallory", "2030-01-01T00:00:00Z", "https://evil.example.org")
  })
  .map(({ change, first, good, second, text }) =>
    changed(good, changes[change] ?? (() => undefined), first, second, text)
  )
