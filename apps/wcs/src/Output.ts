import type { AdminResult } from "@wcs/http-node/admin/AdminCommand"
import { Console, Data, Predicate } from "effect"

/** It was not done; said in one sentence. */
export class Failed extends Data.TaggedError("Failed")<{ readonly code: string; readonly message: string }> {}

/** The command line itself is wrong. */
export class Misused extends Data.TaggedError("Misused")<{ readonly message: string }> {}

/**
 * Text as a terminal may have it. Names are chosen by others: what moves the cursor, changes the order of writing or
 * begins a line is shown by its escape, as JSON would write it.
 */
const visible = (text: string): string =>
  text.replaceAll(
    /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`
  )

const cell = (value: unknown): string => {
  if (value === null) return "-"
  if (Array.isArray(value)) return value.map(cell).join(" ")
  return visible(typeof value === "string" ? value : JSON.stringify(value))
}

const columns = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd()
  )
}

const table = (items: ReadonlyArray<Readonly<Record<PropertyKey, unknown>>>): ReadonlyArray<string> => {
  const [first] = items
  if (first === undefined) return ["(none)"]
  const names = Object.keys(first)
  return columns([names, ...items.map((item) => names.map((name) => cell(item[name])))])
}

/** A result as people read it: a list is a table, anything else one line for each of its fields. */
export const readable = (result: AdminResult): string => {
  const [only, ...others] = Object.values(result)
  const isList = others.length === 0 && Array.isArray(only) && only.every(Predicate.isObject)
  const lines = isList ? table(only) : columns(Object.entries(result).map(([name, value]) => [name, cell(value)]))
  return lines.join("\n")
}

/** One JSON object on standard output, or text. */
export const show = (result: AdminResult, isJson: boolean) =>
  Console.log(isJson ? visible(JSON.stringify(result)) : readable(result))

/** One sentence, or one JSON object, on standard error. */
export const complain = (code: string, message: string, isJson: boolean) =>
  Console.error(visible(isJson ? JSON.stringify({ error: { code, message } }) : `wcs: ${message}`))
