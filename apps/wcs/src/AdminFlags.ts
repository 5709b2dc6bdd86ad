import type { AdminCommand } from "@wcs/http-node/AdminCommand"
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
