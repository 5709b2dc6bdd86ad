import { DOMParser } from "@xmldom/xmldom"

/** The root element; undefined if the parser reports anything, even a warning. */
export const parse = (text: string): Element | undefined => {
  const strict = (_level: string, message: unknown) => {
    throw new Error(String(message))
  }
  try {
    const parser = new DOMParser({ errorHandler: strict, locator: {} })
    return parser.parseFromString(text, "text/xml").documentElement ?? undefined
  } catch {
    return undefined
  }
}
