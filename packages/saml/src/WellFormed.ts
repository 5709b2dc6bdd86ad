import { Result } from "effect"
import type { TextReason } from "./Refusal.ts"

const depthMax = 24
const elementsMax = 2048
const attributesMax = 32

const space = "[ \\t\\r\\n]"
const name = "[A-Za-z][\\w.-]*(?::[A-Za-z][\\w.-]*)?"
const startTag = new RegExp(`<(${name})`, "y")
const attribute = new RegExp(`${space}+(${name})${space}*=${space}*(?:"[^"<]*"|'[^'<]*')`, "y")
const tagEnd = new RegExp(`${space}*(/?)>`, "y")
const endTag = new RegExp(`</(${name})${space}*>`, "y")
const characters = /[^<]+/y
const blank = /^[ \t\r\n]*$/

/**
 * Checks that text is one well-formed element, made of elements, attributes and text only. Names are ASCII.
 *
 * The parser accepts malformed XML and guesses at its meaning. After this check it has nothing to guess.
 */
export const checkWellFormed = (text: string): Result.Result<void, TextReason> => {
  const open: Array<string> = []
  let elements = 0
  let at = 0

  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match !== null) at = pattern.lastIndex
    return match
  }
  const malformed = () => Result.fail<TextReason>({ _tag: "NotWellFormed", offset: at })
  const tooComplex = (what: Extract<TextReason, { _tag: "TooComplex" }>["what"], max: number) =>
    Result.fail<TextReason>({ _tag: "TooComplex", what, max })

  /** Reads the attributes and the end of a start tag. */
  const finishStartTag = (element: string): Result.Result<void, TextReason> => {
    const seen = new Set<string>()
    for (let found = take(attribute); found !== null; found = take(attribute)) {
      if (seen.has(found[1] ?? "")) return malformed()
      seen.add(found[1] ?? "")
      if (seen.size > attributesMax) return tooComplex("attributes of an element", attributesMax)
    }
    const end = take(tagEnd)
    if (end === null) return malformed()
    if (open.length >= depthMax) return tooComplex("depth", depthMax)
    if (end[1] === "") open.push(element)
    return Result.void
  }

  while (at < text.length) {
    const data = take(characters)?.[0]
    if (data !== undefined) {
      if (open.length === 0 ? !blank.test(data) : data.includes("]]>")) return malformed()
      continue
    }
    const closed = take(endTag)?.[1]
    if (closed !== undefined) {
      if (open.pop() !== closed) return malformed()
      continue
    }
    const opened = take(startTag)?.[1]
    if (opened === undefined || (open.length === 0 && elements > 0)) return malformed()
    if (++elements > elementsMax) return tooComplex("elements", elementsMax)
    const finished = finishStartTag(opened)
    if (Result.isFailure(finished)) return finished
  }
  return open.length === 0 && elements > 0 ? Result.void : malformed()
}
