import { parse } from "../wire/Json.ts"

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

const maxChars = 8000
const maxDepth = 24

/**
 * A JSON text laid out in lines. Only its blanks change: names that stand twice, the order, and numbers are as they were
 * sent. Undefined where it is no JSON, or so long or deep that laying it out would make it harder to read.
 */
export const indented = (text: string): string | undefined => {
  if (text.length > maxChars || !/^\s*[[{]/.test(text) || parse(text) === undefined) return undefined
  let [depth, laidOut, before] = [0, "", ""]
  for (const [token] of text.matchAll(tokens)) {
    const isClosing = token === "}" || token === "]"
    if (isClosing) depth -= 1
    const isOpened = before === "{" || before === "["
    if (isClosing ? !isOpened : isOpened || before === ",") laidOut += `\n${"  ".repeat(depth)}`
    laidOut += token === ":" ? ": " : token
    if (token === "{" || token === "[") depth += 1
    if (depth > maxDepth) return undefined
    before = token
  }
  return laidOut
}
