import type { JsonObject } from "@wcs/domain/shared/Json"

/** The failure of a damaged row names the row. It repeats nothing of it, as JSON's own would: logs are no place for it. */
export const jsonOf = (text: string, name: string): JsonObject => {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${name} is no JSON`)
  }
}
