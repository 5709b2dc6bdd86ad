/** The maximum bytes of a JSON body. */
export const jsonLimitBytes = 1024 * 1024

/** The maximum nesting depth of a JSON body. */
export const jsonDepthLimit = 32

/** The maximum number of values in a JSON body: the body, and each member of its objects and arrays. */
export const jsonNodeLimit = 5_000

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const isOpening = (code: number): boolean => code === 0x7b || code === 0x5b
const isClosing = (code: number): boolean => code === 0x7d || code === 0x5d
const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/** Returns the index of the closing quote of the string at `start`. */
const endOfString = (text: string, start: number): number => {
  let index = start + 1
  while (index < text.length && text.charCodeAt(index) !== quote) {
    index += text.charCodeAt(index) === backslash ? 2 : 1
  }
  return index
}

/**
 * Returns why a JSON text must not be parsed: too deep, or too many values. Undefined if it can be parsed. Counts in
 * the text, because parsing 88,000 keys alone takes 100 ms, and no step of a request may take more than 10 ms.
 */
export const oversizeOf = (text: string): string | undefined => {
  let depth = 0
  let nodes = 1
  let isFirstInside = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (isBlank(code)) continue
    if (code === comma || (isFirstInside && !isClosing(code))) nodes++
    isFirstInside = isOpening(code)
    if (isFirstInside) depth++
    else if (isClosing(code)) depth--
    else if (code === quote) index = endOfString(text, index)
    if (depth > jsonDepthLimit) return `is nested more than ${jsonDepthLimit} levels deep`
    if (nodes > jsonNodeLimit) return `has more than ${jsonNodeLimit} values`
  }
  return undefined
}
