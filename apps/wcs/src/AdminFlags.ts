import type { AdminCommand } from "@wcs/http-node/admin/AdminCommand"
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { Json } from "./Json.ts"
import { operate } from "./Operating.ts"
import { show } from "./Output.ts"

/** Carries a command out and shows what it came to. */
export const perform = Effect.fnUntraced(function* (command: AdminCommand) {
  yield* show(yield* operate((ask) => ask(command)), yield* Json)
})

export const tenant = Flag.String("tenant").pipe(
  Flag.withDescription("The tenant's name or id; may be left out where there is only one"),
  Flag.optional,
  Flag.map(Option.getOrNull)
)

/** A flag that has to be given. */
export const required = (name: string, description: string) => Flag.String(name).pipe(Flag.withDescription(description))

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** `90d`, `12h`, `30m`, `45s` in seconds; NaN for anything else. */
export const secondsOf = (text: string): number => {
  const [, count, unit] = /^([1-9]\d{0,9})([smhd])$/.exec(text) ?? []
  return Number(count) * (unitSeconds[unit ?? ""] ?? 0)
}
