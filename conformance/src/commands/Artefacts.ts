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
 * Returns the journal file of a run. Resources of an earlier run that still exist stay in the journal. A journal whose
 * resources are all deleted is replaced, unless a running run writes to it.
 */
export const journalFile = Effect.fnUntraced(function* (folder: string) {
  yield* Effect.try({
    try: () => accessSync(mkdirSync(folder, { recursive: true }) ?? folder, constants.W_OK),
    catch: () => new Refused({ message: `--out: cannot write to the folder ${folder}` })
  })
  const file = join(folder, "journal.ndjson")
  const text = yield* Effect.sync(() => (existsSync(file) ? readFileSync(file, "utf8") : ""))
  const entries = yield* Effect.option(entriesOf(text))
  if (Option.isSome(entries) && isClear(entries.value) && isOver(entries.value)) rmSync(file, { force: true })
  return file
})

/** The run was judged, but its folder could not be written. */
export class NotWritten extends Data.TaggedError("NotWritten")<{ readonly message: string }> {}

/** One run and its findings. */
export interface Judged {
  readonly events: ReadonlyArray<Event>
  readonly report: Report
}

/** One or several runs, and their combined report. */
export interface Whole {
  readonly runs: ReadonlyArray<Judged>
  readonly report: Report
  readonly profile: Profile
}

const repeatedRun = /^run-(\d+)$/

/** The folder of one of several runs. */
const runFolder = (folder: string, nth: number): string => join(folder, `run-${nth}`)

/** Returns the folders of the runs in a folder, in order: the folder itself, or one per run. */
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

/** Deletes the files of earlier runs that this run does not replace. */
const clear = (folder: string) => {
  for (const name of [exchangesFile, evidenceFile]) rmSync(join(folder, name), { force: true })
  for (const name of readdirSync(folder)) {
    if (repeatedRun.test(name)) rmSync(join(folder, name), { recursive: true, force: true })
  }
}

/**
 * Writes reports and record of a run into its folder and replaces those of earlier runs. Several runs get a combined
 * report and one folder each.
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
    catch: (error) => new NotWritten({ message: `some reports could not be written: ${String(error)}` })
  })
})
