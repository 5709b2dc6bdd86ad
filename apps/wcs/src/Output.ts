import { StartRefused } from "@wcs/node-server/StartRefused"
import { Cause, Console, Data, Effect, Logger, Predicate, Record, Redacted, References } from "effect"

/** The exit codes. */
export const exitCodes = {
  done: 0,
  /** The command failed or crashed. */
  failed: 1,
  /** The command line or a setting is invalid. Nothing was done. */
  refused: 2,
  interrupted: 130
} as const

/** The result of a command: one JSON object. New secrets are redacted. */
export type Result = Readonly<Record<string, unknown>>

/** The command failed. The message is one sentence. */
export class Failed extends Data.TaggedError("Failed")<{ readonly code: string; readonly message: string }> {}

/** A setting or a file is invalid. Nothing was done. */
export class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}

/** The command line is invalid. */
export class Misused extends Data.TaggedError("Misused")<{ readonly message: string }> {}

/**
 * Escapes control characters for terminals, in JSON form. Names are user input and could move the cursor, change the
 * text direction or start a line.
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

/** Formats a result for people: a list as a table, other results with one line per field. */
export const readable = (result: Result): string => {
  const [only, ...others] = Object.values(result)
  const isList = others.length === 0 && Array.isArray(only) && only.every(Predicate.isObject)
  const lines = isList ? table(only) : columns(Object.entries(result).map(([name, value]) => [name, cell(value)]))
  return lines.join("\n")
}

/** Prints a result to standard output, as JSON or text, with its secrets in clear text. */
export const show = (result: Result, isJson: boolean) => {
  const shown = Record.map(result, (value) => (Redacted.isRedacted(value) ? Redacted.value(value) : value))
  return Console.log(isJson ? visible(JSON.stringify(shown)) : readable(shown))
}

/** Prints an error to standard error, as JSON or one sentence. */
export const complain = (code: string, message: string, isJson: boolean) =>
  Console.error(visible(isJson ? JSON.stringify({ error: { code, message } }) : `wcs: ${message}`))

const isRefusal = (error: unknown): error is Refused | StartRefused =>
  error instanceof Refused || error instanceof StartRefused

/** Prints an error as one sentence, or a defect with its trace. Returns the exit code. */
const settle = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>, isJson: boolean) {
  const error = Cause.squash(cause)
  if (error instanceof Misused) return yield* Effect.as(complain("USAGE", error.message, isJson), exitCodes.refused)
  if (isRefusal(error)) return yield* Effect.as(complain("REFUSED", error.message, isJson), exitCodes.refused)
  if (error instanceof Failed) return yield* Effect.as(complain(error.code, error.message, isJson), exitCodes.failed)
  yield* isJson
    ? complain("INTERNAL", "internal error of wcs; run it without --json for details", isJson)
    : Console.error(Cause.pretty(cause))
  return exitCodes.failed
})

/** Prints the error of a command, and makes it an exit code. Interruptions propagate. */
export const ended =
  (isJson: boolean) =>
  <E, R>(running: Effect.Effect<number, E, R>) =>
    running.pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause) ? Effect.failCause(Cause.interrupt()) : settle(cause, isJson)
      ),
      // Standard output is only for the result.
      Effect.provideService(Logger.LogToStderr, true),
      Effect.provideService(References.MinimumLogLevel, "Warn")
    )
