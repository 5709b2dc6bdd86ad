import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { type KillMatrix, recorded } from "../evidence/KillMatrix.ts"

/** Formats the matrix by rule. */
const matrixText = ({ mutants, variants }: KillMatrix): string => {
  const byRule = new Map<string, Array<string>>()
  for (const { kills, name } of mutants) {
    for (const { at, kind, rule } of kills)
      byRule.set(rule, [...(byRule.get(rule) ?? []), `${name} (${kind} at ${at})`])
  }
  const rules = [...byRule].sort(([left], [right]) => left.localeCompare(right))
  return [
    ...rules.flatMap(([rule, killers]) => [rule, ...killers.map((killer) => `  ${killer}`)]),
    "",
    `${rules.length} rules fail on ${mutants.length} mutants; no rule fails on ${variants.length} variants:`,
    ...variants.map((variant) => `  ${variant}`)
  ].join("\n")
}

/** Prints the kill matrix that was recorded for this release. */
export const selftestCommand = Command.make(
  "selftest",
  { json: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON"), Flag.withDefault(false)) },
  Effect.fnUntraced(function* ({ json }) {
    const matrix = recorded()
    yield* Console.log(json ? JSON.stringify(matrix, null, 2) : matrixText(matrix))
  })
).pipe(
  Command.withDescription(
    "Print the recorded kill matrix: the defects that each rule finds, and the variants that it accepts"
  )
)
