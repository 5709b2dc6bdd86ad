import { StartRefused } from "@wcs/node-server/StartRefused"
import { Config, Effect, Option } from "effect"

/** An environment variable with its form, its default and its documentation. */
export interface Variable<A> {
  readonly name: string
  /** The accepted form, as text after "must be". */
  readonly must: string
  /** The default as text. Empty if there is none. */
  readonly standard: string
  readonly meaning: string
  /** Parses the text. None if invalid. */
  readonly read: (text: string) => Option.Option<A>
  /** The error message does not repeat the value. */
  readonly isSecret?: true
}

/** Parses one of the given values. Case-sensitive. */
export const oneOf =
  <const A extends string>(...values: ReadonlyArray<A>) =>
  (text: string): Option.Option<A> =>
    Option.fromNullishOr(values.find((value) => value === text))

/** Parses a decimal whole number. */
export const integer = (least: number, most: number) => (text: string) => {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : -1
  return value >= least && value <= most ? Option.some(value) : Option.none()
}

/** The form of a decimal whole number. */
export const wholeNumber = (least: number, most: number) => ({
  must: `a whole number from ${least} to ${most}`,
  read: integer(least, most)
})

export const path = (text: string) => (text.includes("\0") || text.length > 4096 ? Option.none() : Option.some(text))

/** The form of the path of a file. */
export const filePath = { must: "the path of a file", read: path }

/** Parses a comma-separated list. Empty items are ignored. */
export const list =
  <A>(read: (text: string) => Option.Option<A>) =>
  (text: string): Option.Option<ReadonlyArray<A>> =>
    Option.all(
      text
        .split(",")
        .map((item) => item.trim())
        .filter((item) => item !== "")
        .map(read)
    )

const unitMillis: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** Parses `500ms`, `5s`, `30m` or `24h` to milliseconds, at most 10 days. */
export const duration = (text: string): Option.Option<number> => {
  const [, count = "", unit = ""] = /^(\d{1,6})(ms|s|m|h)$/.exec(text) ?? []
  const millis = count === "" ? Number.NaN : Number(count) * (unitMillis[unit] ?? Number.NaN)
  return millis <= 864_000_000 ? Option.some(millis) : Option.none()
}

export const durationsRange = "a comma-separated list of at most 20 times, such as 5s,5m,2h"

/** Parses a comma-separated list of times to milliseconds. */
export const durations = (text: string) => Option.filter(list(duration)(text), (times) => times.length <= 20)

const refused = <A>({ isSecret, must, name }: Variable<A>, text: string) =>
  new StartRefused({
    message: `${name} must be ${must}, but is ${isSecret === true ? "another value (hidden)" : JSON.stringify(text.slice(0, 100))}.`
  })

/** Reads a variable. An empty variable counts as absent, because compose files set absent variables to empty. */
export const optional = Effect.fnUntraced(function* <A>(variable: Variable<A>) {
  const given = yield* Effect.orDie(Config.option(Config.String(variable.name)))
  const text = Option.filter(given, (value) => value.trim() !== "")
  if (Option.isNone(text)) return Option.none<A>()
  const value = variable.read(text.value.trim())
  return Option.isSome(value) ? value : yield* refused(variable, text.value)
})

/** Reads a variable, or its default. */
export const required = Effect.fnUntraced(function* <A>(variable: Variable<A>) {
  const value = yield* optional(variable)
  return Option.isSome(value) ? value.value : Option.getOrThrow(variable.read(variable.standard))
})

/** Fails if values contradict each other. Each message names the variables. */
export const consistent = (contradictions: ReadonlyArray<string | false>) => {
  const [message, ...others] = contradictions.filter((found) => found !== false)
  return message === undefined ? Effect.void : Effect.fail(new StartRefused({ message, others }))
}
