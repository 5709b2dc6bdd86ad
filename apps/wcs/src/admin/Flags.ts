import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { Json } from "../Json.ts"
import { operate, type Work } from "../Operating.ts"
import { type Result, show } from "../Output.ts"

/** Runs a command and prints its result. */
export const perform = Effect.fnUntraced(function* (command: Work<Result>) {
  yield* show(yield* operate(command), yield* Json)
})

export const tenant = Flag.String("tenant").pipe(
  Flag.withDescription("Name or id of the tenant; optional if there is only one"),
  Flag.optional,
  Flag.map(Option.getOrNull)
)

/** A required flag. */
export const required = (name: string, description: string) => Flag.String(name).pipe(Flag.withDescription(description))

/** The tenant of a command that otherwise concerns all of them. */
export const allTenants = required("tenant", "Name or id of the tenant; default: all tenants").pipe(
  Flag.optional,
  Flag.map(Option.getOrNull)
)

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Parses `90d`, `12h`, `30m` or `45s` to seconds. NaN if invalid. */
export const secondsOf = (text: string): number => {
  const [, count, unit] = /^([1-9]\d{0,9})([smhd])$/.exec(text) ?? []
  return Number(count) * (unitSeconds[unit ?? ""] ?? 0)
}
