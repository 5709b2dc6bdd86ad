import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { type KillRate, recordedCounts } from "../release/Counts.ts"
import { type KillMatrix, recordedMatrix } from "../release/KillMatrix.ts"
import { Refused } from "./Refused.ts"

const timesText = (count: number): string => (count === 1 ? "1 place" : `${count} places`)

/** Formats the matrix by rule. */
const matrixText = ({ choices, kills }: KillMatrix): string => {
  const rules = [...Map.groupBy(kills, ({ rule }) => rule)].sort(([left], [right]) => left.localeCompare(right))
  return [
    ...rules.flatMap(([rule, own]) => [
      rule,
      ...own.map(({ fault, kind, places }) => `  ${fault} (${kind}, at ${timesText(places)})`)
    ]),
    "",
    `${rules.length} rules fail on ${kills.length} faults; no rule fails on ${choices.length} choices:`,
    ...choices.map((choice) => `  ${choice}`)
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
    "Print the recorded kill matrix: the faults of a second server that each rule finds, and the choices that no rule " +
      "fails"
  )
)
