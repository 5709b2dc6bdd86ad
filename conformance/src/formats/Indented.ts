import { parse } from "../text/Json.ts"

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

const maxChars = 8000
const maxDepth = 24

/**
 * Returns JSON text with line breaks and indentation. Duplicate names, order and numbers stay as sent. Returns
 * undefined for text that is not JSON, or that is too long or too deep.
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
