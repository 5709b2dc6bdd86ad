import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { type KillRate, recordedCounts } from "../release/Counts.ts"
import { type KillMatrix, recordedMatrix } from "../release/KillMatrix.ts"
import { Refused } from "./Refused.ts"

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

/** Formats the rate by area. */
const rateText = ({ areas, falseAlarms, faults, found }: KillRate): string =>
  [
    "",
    `${found} of ${faults} single faults of a second server are found, with ${falseAlarms.length} false alarms:`,
    ...areas.map((area) => `  ${area.area} ${area.found} of ${area.faults}`)
  ].join("\n")

/** Prints the kill matrix that was recorded for this release. */
export const selftestCommand = Command.make(
  "selftest",
  { json: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON"), Flag.withDefault(false)) },
  Effect.fnUntraced(function* ({ json }) {
    const matrix = recordedMatrix()
    const rate = recordedCounts().secondServer
    if (matrix === undefined) {
      return yield* new Refused({ message: "this checkout has no kill matrix: npm run -s selftest writes it" })
    }
    const text = () => `${matrixText(matrix)}\n${rateText(rate)}`
    yield* Console.log(json ? JSON.stringify({ ...matrix, secondServer: rate }, null, 2) : text())
  })
).pipe(
  Command.withDescription(
    "Print the recorded kill matrix: the defects that each rule finds, the variants that it accepts, and the faults of " +
      "a second server that are found"
  )
)
