import type { JsonObject } from "@wcs/domain/shared/Json"
import { mapOperations } from "./Operations.ts"

/** `screeningPackages` as words: `screening packages`. */
const wordsOf = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/^api\b/, "API")

const oneOf = (group: string): string => {
  const word = wordsOf(group).replace(/s$/, "")
  return `${/^(?!user)[aeiou]/i.test(word) ? "an" : "a"} ${word}`
}

const sentence = (words: string): string => words.slice(0, 1).toUpperCase() + words.slice(1)

/** The summaries of the operations that most groups have. */
const usual: Readonly<Record<string, (group: string) => string>> = {
  list: (group) => `List ${wordsOf(group)}`,
  create: (group) => `Create ${oneOf(group)}`,
  read: (group) => `Read ${oneOf(group)}`,
  replace: (group) => `Replace ${oneOf(group)}`,
  patch: (group) => `Change ${oneOf(group)}`,
  remove: (group) => `Delete ${oneOf(group)}`
}

const summaryOf = (operationId: string, method: string, path: string): string => {
  const [group = "", action = ""] = operationId.split(".")
  const whole = usual[action]
  if (whole !== undefined) return whole(group)
  const those = path.includes("{id}") ? oneOf(group) : wordsOf(group)
  return sentence(method === "get" ? `list ${wordsOf(action)} of ${those}` : `${wordsOf(action)} ${those}`)
}

/** Adds a summary to each operation that has none, derived from its name. */
export const summarize = (document: JsonObject): JsonObject =>
  mapOperations(document, ({ tags = null, summary, ...operation }, { method, path }) => ({
    tags,
    summary: summary ?? summaryOf(String(operation["operationId"]), method, path),
    ...operation
  }))
