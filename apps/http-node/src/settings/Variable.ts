import { Config, Effect, Option } from "effect"
import { StartRefused } from "../StartRefused.ts"

/** One environment variable: what it may hold, what stands where it is left out, and what it is for. */
export interface Variable<A> {
  readonly name: string
  /** What the value must be, as it follows "must be". */
  readonly must: string
  /** As documented; empty where there is none. */
  readonly standard: string
  readonly meaning: string
  /** The value that a text stands for; none refuses it. */
  readonly read: (text: string) => Option.Option<A>
  /** What was given is not repeated where it is refused. */
  readonly isSecret?: true
}

/** One of these words, to the letter. */
export const oneOf =
  <const A extends string>(...values: ReadonlyArray<A>) =>
  (text: string): Option.Option<A> =>
    Option.fromNullishOr(values.find((value) => value === text))

/** A whole number in decimal. */
export const integer = (least: number, most: number) => (text: string) => {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : -1
  return value >= least && value <= most ? Option.some(value) : Option.none()
}

export const path = (text: string) => (text.includes("\0") || text.length > 4096 ? Option.none() : Option.some(text))

/** Items between commas, each read by itself; empty ones are overlooked. */
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

/** `500ms`, `5s`, `30m`, `24h`, in milliseconds; at most 10 days. */
export const duration = (text: string): Option.Option<number> => {
  const [, count = "", unit = ""] = /^(\d{1,6})(ms|s|m|h)$/.exec(text) ?? []
  const millis = count === "" ? Number.NaN : Number(count) * (unitMillis[unit] ?? Number.NaN)
  return millis <= 864_000_000 ? Option.some(millis) : Option.none()
}

export const durationsRange = "a comma-separated list of at most 20 times, such as 5s,5m,2h"

/** Times between commas, in milliseconds. */
export const durations = (text: string) => Option.filter(list(duration)(text), (times) => times.length <= 20)

const refused = <A>({ isSecret, must, name }: Variable<A>, text: string) =>
  new StartRefused({
    message: `${name} must be ${must}, and is ${isSecret === true ? "none" : JSON.stringify(text.slice(0, 100))}.`
  })

/** An empty variable counts as one that is left out: that is how compose files leave them out. */
export const optional = Effect.fnUntraced(function* <A>(variable: Variable<A>) {
  const given = yield* Effect.orDie(Config.option(Config.String(variable.name)))
  const text = Option.filter(given, (value) => value.trim() !== "")
  if (Option.isNone(text)) return Option.none<A>()
  const value = variable.read(text.value.trim())
  return Option.isSome(value) ? value : yield* refused(variable, text.value)
})

/** The value, or what stands where it is left out. */
export const required = Effect.fnUntraced(function* <A>(variable: Variable<A>) {
  const value = yield* optional(variable)
  return Option.isSome(value) ? value.value : Option.getOrThrow(variable.read(variable.standard))
})

/** Refuses values that do not go together. */
export const contradiction = (message: string) => Effect.fail(new StartRefused({ message }))
