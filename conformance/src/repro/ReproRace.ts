import { ownersPlace } from "../calls/Reading.ts"
import { historyPlace, storyOf } from "../evidence/Difference.ts"
import type { RecordedExchange, ReportedDifference, RuleReport } from "../report/Report.ts"
import * as Told from "../report/Told.ts"
import { membersOf } from "./Chain.ts"
import { keyPattern } from "./ReproChecks.ts"
import { quote } from "./Shell.ts"

/** Calls that overlapped in a run, which no order of them explains. */
export interface Race {
  readonly racers: ReadonlyArray<RecordedExchange>
  /** The read after them. */
  readonly closing: RecordedExchange
  readonly difference: ReportedDifference
}

/** The race that a chain shows; undefined where what is wrong is no race. */
export const raceOf = (rule: RuleReport, chain: ReadonlyArray<RecordedExchange>): Race | undefined => {
  const difference = Told.decisive(rule)
    .flatMap(({ differences }) => differences)
    .find(({ at }) => at === historyPlace)
  if (difference === undefined) return undefined
  const numbers = (storyOf(difference) ?? []).flatMap((line) =>
    [...line.matchAll(/#(\d+) /g)].map(([, one]) => Number(one))
  )
  const racers = chain.filter(({ number }) => numbers.includes(number) && number !== difference.exchange)
  const closing = chain.find(({ number }) => number === difference.exchange)
  return closing === undefined || racers.length < 2 ? undefined : { racers, closing, difference }
}

/** What came of a race: each answer's status, and who owns in the end. */
const endOf = ({ closing, racers }: Race) => {
  const owners = membersOf(closing.answer?.text ?? "").filter(
    ({ path, value }) => path.startsWith(`${ownersPlace}.`) && (value === null || typeof value === "string")
  )
  return {
    got: [...racers.map(({ answer }) => answer?.status ?? "000"), ...owners.map(({ value }) => JSON.stringify(value))],
    now: [
      ...racers.map(({ number }) => `$(status ${number})`),
      ...owners.map(({ key, nth }) => `$(value ${closing.number} ${keyPattern(key)} ${nth})`)
    ]
  }
}

/**
 * The line that tells a race again. Which call wins is chance: it is there again where all of it is as the run got it,
 * and anything else says nothing.
 */
export const raceCheck = (race: Race, word: (text: string) => string): string => {
  const { got, now } = endOf(race)
  const [here, there] = [`"${now.join(" ")}"`, word(got.join(" "))]
  const numbers = race.racers.map(({ number }) => `#${number}`).join(" ")
  return `check ${quote(`${numbers} at once`)} ${word(Told.value(race.difference.expected))} ${there} ${here} "$(same ${here} ${there})"`
}

/** How often a script tries. */
const attempts = 20

/** Does all that `steps` say until it is there again, each time with things of its own. */
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
