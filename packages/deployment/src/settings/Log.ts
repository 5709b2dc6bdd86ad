import { Effect, type LogLevel, Option } from "effect"
import { oneOf, required } from "./Variable.ts"

/** The format and the level of the log. */
export interface LogSettings {
  readonly logFormat: "text" | "json"
  readonly logLevel: LogLevel.LogLevel
}

const levels = { debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const satisfies Record<
  string,
  LogLevel.LogLevel
>

/** The variables of this part, in the order of the table in README.md. */
export const variables = {
  logFormat: {
    name: "WCS_LOG_FORMAT",
    must: "text or json",
    standard: "text",
    meaning: "Format of the log on standard error.",
    read: oneOf("text", "json")
  },
  logLevel: {
    name: "WCS_LOG_LEVEL",
    must: "debug, info, warn or error",
    standard: "info",
    meaning: "Lowest level that is logged.",
    read: (text: string) => Option.map(oneOf("debug", "info", "warn", "error")(text), (level) => levels[level])
  }
} as const

export const read = Effect.gen(function* () {
  return {
    logFormat: yield* required(variables.logFormat),
    logLevel: yield* required(variables.logLevel)
  } satisfies LogSettings
})
