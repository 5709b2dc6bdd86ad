import { ownersPosition } from "../calls/Reading.ts"
import { historyPosition, storyOf } from "../judgement/Difference.ts"
import { membersOf } from "../report/Chain.ts"
import type { RecordedExchange, ReportedDifference, RuleReport } from "../report/Report.ts"
import * as ReportText from "../report/ReportText.ts"
import { keyPattern } from "./ReproChecks.ts"
import { quote } from "./Shell.ts"

/** Concurrent calls of a run that no sequential order explains. */
export interface Race {
  readonly racers: ReadonlyArray<RecordedExchange>
  /** The read after the concurrent calls. */
  readonly closing: RecordedExchange
  readonly difference: ReportedDifference
}

/** Returns the race in a chain; undefined if the failure is not a race. */
export const raceOf = (rule: RuleReport, chain: ReadonlyArray<RecordedExchange>): Race | undefined => {
  const difference = ReportText.decisive(rule)
    .flatMap(({ differences }) => differences)
    .find(({ at }) => at === historyPosition)
  if (difference === undefined) return undefined
  const numbers = (storyOf(difference) ?? []).flatMap((line) =>
    [...line.matchAll(/#(\d+) /g)].map(([, one]) => Number(one))
  )
  const racers = chain.filter(({ number }) => numbers.includes(number) && number !== difference.exchange)
  const closing = chain.find(({ number }) => number === difference.exchange)
  return closing === undefined || racers.length < 2 ? undefined : { racers, closing, difference }
}

/** The result of a race: the status of each response, and the final owners. */
const endOf = ({ closing, racers }: Race) => {
  const owners = membersOf(closing.answer?.text ?? "").filter(
    ({ path, value }) => path.startsWith(`${ownersPosition}.`) && (value === null || typeof value === "string")
  )
  return {
    got: [...racers.map(({ answer }) => answer?.status ?? "000"), ...owners.map(({ value }) => JSON.stringify(value))],
    now: [
      ...racers.map(({ number }) => `$(status ${number})`),
      ...owners.map(({ key, nth }) => `$(value ${closing.number} ${keyPattern(key)} ${nth})`)
    ]
  }
}

/** Returns the line that checks a race. The winner is random, so only an identical result counts as reproduced. */
export const raceCheck = (race: Race, word: (text: string) => string): string => {
  const { got, now } = endOf(race)
  const [here, there] = [`"${now.join(" ")}"`, word(got.join(" "))]
  const numbers = race.racers.map(({ number }) => `#${number}`).join(" ")
  return `check ${quote(`${numbers} concurrently`)} ${word(ReportText.value(race.difference.expected))} ${there} ${here} "$(same ${here} ${there})"`
}

/** The number of attempts of a script. */
const attempts = 20

/** Repeats the steps with new resources until the failure is reproduced. */
export const attempted = (steps: ReadonlyArray<string>): ReadonlyArray<string> => [
  "attempt() {",
  ...steps,
  "}",
  "",
  "tries=0",
  `while [ "$again" -eq 0 ] && [ "$tries" -lt ${attempts} ]; do`,
  "  tries=$((tries + 1))",
  "  RUN=r$$x$(date +%s)x$tries",
  "  attempt",
  "  delete_made",
  "done"
]
