import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { areaOf, areas, catalogue, type RuleId } from "../catalogue/Catalogue.ts"
import { nearest } from "../profile/Nearest.ts"
import { Refused } from "./Refused.ts"

/** Which rules a command is about. */
export const onlyFlag = Flag.String("only").pipe(
  Flag.withDescription("Rules or areas, such as OWN-04 or OWN; may be repeated or separated by commas"),
  Flag.atLeast(0)
)

/** The rules that names stand for; none where no name is given. A name that stands for nothing is refused. */
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
      message: `--only: the catalogue has no rule and no area called ${unknown.join(", ")}; ${instead}`
    })
  }
  return Option.some<ReadonlySet<RuleId>>(new Set(found.flat()))
})
