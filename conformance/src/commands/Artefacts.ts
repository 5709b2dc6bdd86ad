import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { Data, Effect, Option } from "effect"
import type { FailOn } from "../ExitCode.ts"
import type { Event } from "../engine/Event.ts"
import { isClear, isOver } from "../engine/Sweep.ts"
import { entriesOf } from "../evidence/Journal.ts"
import { evidenceFile, exchangesFile, recordOf } from "../evidence/RecordedFile.ts"
import type { Profile } from "../profile/Profile.ts"
import { html } from "../report/Html.ts"
import { json } from "../report/Json.ts"
import { junit } from "../report/JUnit.ts"
import { markdown } from "../report/Markdown.ts"
import type { Report } from "../report/Report.ts"
import { reprosOf } from "../repro/Repro.ts"
import { Refused } from "./Refused.ts"

/**
 * Where a run writes down what it makes. What an earlier run left there and nobody swept stays in it; a journal of
 * nothing but what is gone is begun anew, unless a run that is under way writes into it.
 */
export const journalFile = Effect.fnUntraced(function* (folder: string) {
  yield* Effect.try({
    try: () => accessSync(mkdirSync(folder, { recursive: true }) ?? folder, constants.W_OK),
    catch: () => new Refused({ message: `--out: ${folder} is no folder that can be written` })
  })
  const file = join(folder, "journal.ndjson")
  const text = yield* Effect.sync(() => (existsSync(file) ? readFileSync(file, "utf8") : ""))
  const entries = yield* Effect.option(entriesOf(text))
  if (Option.isSome(entries) && isClear(entries.value) && isOver(entries.value)) rmSync(file, { force: true })
  return file
})

/** A run was judged, and its folder could not take what it leaves behind. */
export class NotWritten extends Data.TaggedError("NotWritten")<{ readonly message: string }> {}

/** One run, and what was found by it alone. */
export interface Judged {
  readonly events: ReadonlyArray<Event>
  readonly report: Report
}

/** What was judged, once or several times, and what that comes to. */
export interface Whole {
  readonly runs: ReadonlyArray<Judged>
  readonly report: Report
  readonly profile: Profile
}

const repeatedRun = /^run-(\d+)$/

/** The folder of the so-manieth of several runs. */
const runFolder = (folder: string, nth: number): string => join(folder, `run-${nth}`)

/** The folders of the runs that were written into one: itself, or one for each of several, in their order. */
export const runFolders = (folder: string): ReadonlyArray<string> => {
  if (existsSync(join(folder, evidenceFile)) || !existsSync(runFolder(folder, 1))) return [folder]
  const numbers = readdirSync(folder).flatMap((name) => repeatedRun.exec(name)?.[1] ?? [])
  return numbers
    .map(Number)
    .toSorted((left, right) => left - right)
    .map((nth) => runFolder(folder, nth))
}

const filesOf = (report: Report, failOn: FailOn): ReadonlyArray<readonly [name: string, text: string]> => [
  ["report.json", json(report)],
  ["junit.xml", junit(report, failOn)],
  ["report.html", html(report)],
  ["report.md", markdown(report)]
]

const put = (folder: string, name: string, text: string): string => {
  const file = join(folder, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

const putReport = (folder: string, report: Report, profile: Profile, failOn: FailOn) => {
  for (const [name, text] of filesOf(report, failOn)) put(folder, name, text)
  rmSync(join(folder, "repro"), { recursive: true, force: true })
  for (const [name, script] of reprosOf(report, profile)) chmodSync(put(folder, name, script), 0o755)
}

const putRecord = (folder: string, { events }: Judged) => {
  for (const [name, text] of recordOf(events)) put(folder, name, text)
}

/** What an earlier run left, once or several times, and nothing here replaces. */
const clear = (folder: string) => {
  for (const name of [exchangesFile, evidenceFile]) rmSync(join(folder, name), { force: true })
  for (const name of readdirSync(folder)) {
    if (repeatedRun.test(name)) rmSync(join(folder, name), { recursive: true, force: true })
  }
}

/**
 * Writes all that is left behind into its folder: of one run its reports and its record; of several what they come to,
 * and a folder for each of them. What an earlier run left of the same is replaced.
 */
export const write = Effect.fnUntraced(function* (folder: string, { profile, report, runs }: Whole, failOn: FailOn) {
  yield* Effect.try({
    try: () => {
      putReport(folder, report, profile, failOn)
      clear(folder)
      const [first, ...others] = runs
      if (first !== undefined && others.length === 0) return putRecord(folder, first)
      for (const [index, run] of runs.entries()) {
        putReport(runFolder(folder, index + 1), run.report, profile, failOn)
        putRecord(runFolder(folder, index + 1), run)
      }
    },
    catch: (error) => new NotWritten({ message: `not all of the reports could be written: ${String(error)}` })
  })
})
