import type { JsonObject } from "@wcs/domain/shared/Json"

/** Parses stored JSON. The error names the row and, unlike JSON's own, contains no data: it is logged. */
export const jsonOf = (text: string, name: string): JsonObject => {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${name} is not valid JSON`)
  }
}
