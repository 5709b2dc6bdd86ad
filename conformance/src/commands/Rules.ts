import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { areaOf, areas, catalogue, type RuleId } from "../catalogue/Catalogue.ts"
import { nearest } from "../profile/Nearest.ts"
import { Refused } from "./Refused.ts"

export const onlyFlag = Flag.String("only").pipe(
  Flag.withDescription("Rules or areas, such as OWN-04 or OWN; may be repeated or separated by commas"),
  Flag.atLeast(0)
)

/** Returns the rules that the names select; empty without names. Fails for an unknown name. */
export const rulesOf = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  const wanted = names.flatMap((name) => name.split(",")).map((name) => name.trim().toUpperCase().replace(/-?\*$/, ""))
  if (wanted.length === 0) return Option.none<ReadonlySet<RuleId>>()
  const found = wanted.map((name) =>
    catalogue.filter(({ id }) => id === name || areaOf(id) === name).map(({ id }) => id)
  )
  const unknown = wanted.filter((_, index) => found[index]?.length === 0)
  if (unknown.length > 0) {
    const [meant] = unknown.flatMap((name) => nearest(name, [...areas, ...catalogue.map(({ id }) => id)]) ?? [])
    const instead = meant === undefined ? `the areas are ${areas.join(" ")}` : `did you mean ${meant}?`
    return yield* new Refused({
      message: `--only: unknown rule or area ${unknown.join(", ")}; ${instead}`
    })
  }
  return Option.some<ReadonlySet<RuleId>>(new Set(found.flat()))
})
