import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { Data, Effect, Option, Schema } from "effect"
import { isClear, isOver } from "../engine/Sweep.ts"
import type { Event } from "../evidence/Event.ts"
import { entriesOf } from "../evidence/Journal.ts"
import { evidenceFile, recordOf } from "../evidence/RecordedFile.ts"
import { html } from "../formats/Html.ts"
import { json } from "../formats/Json.ts"
import { junit } from "../formats/JUnit.ts"
import { markdown } from "../formats/Markdown.ts"
import { sarif } from "../formats/Sarif.ts"
import type { Profile } from "../profile/Profile.ts"
import type { FailOn } from "../report/ExitCode.ts"
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
  const isRun = (one: string) => existsSync(join(one, evidenceFile))
  if (isRun(folder) || !isRun(runFolder(folder, 1))) return [folder]
  const numbers = readdirSync(folder).flatMap((name) => repeatedRun.exec(name)?.[1] ?? [])
  return numbers
    .map(Number)
    .toSorted((left, right) => left - right)
    .map((nth) => runFolder(folder, nth))
    .filter(isRun)
}

const filesOf = (report: Report, failOn: FailOn): ReadonlyArray<readonly [name: string, text: string]> => [
  ["report.json", json(report)],
  ["junit.xml", junit(report, failOn)],
  ["report.html", html(report)],
  ["report.md", markdown(report)],
  ["report.sarif", sarif(report)]
]

const put = (folder: string, name: string, text: string): string => {
  const file = join(folder, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

/** Writes the reports of a run. Returns the names of the files, relative to the folder. */
const putReport = (folder: string, report: Report, profile: Profile, failOn: FailOn): ReadonlyArray<string> => {
  const files = filesOf(report, failOn)
  const scripts = reprosOf(report, profile)
  for (const [name, text] of files) put(folder, name, text)
  for (const [name, script] of scripts) chmodSync(put(folder, name, script), 0o755)
  return [...files, ...scripts].map(([name]) => name)
}

const putRecord = (folder: string, { events }: Judged): ReadonlyArray<string> => {
  const files = recordOf(events)
  for (const [name, text] of files) put(folder, name, text)
  return files.map(([name]) => name)
}

/** The names of all files that the last run wrote into its folder. Only these are ever deleted. */
const manifestFile = "manifest.json"

const Manifest = Schema.fromJsonString(
  Schema.Struct({
    files: Schema.Array(Schema.String.check(Schema.isPattern(/^(run-\d+\/)?(repro\/)?[A-Za-z][\w.-]*$/)))
  })
)

/** Deletes the files of the last run that this run did not write, and the folders that are then empty. */
const clear = (folder: string, written: ReadonlyArray<string>) => {
  const file = join(folder, manifestFile)
  const text = existsSync(file) ? readFileSync(file, "utf8") : ""
  const { files } = Option.getOrElse(Schema.decodeOption(Manifest)(text), () => ({ files: [] }))
  const old = files.filter((name) => !written.includes(name))
  for (const name of old) rmSync(join(folder, name), { force: true })
  const folders = new Set(old.flatMap((name) => foldersOf(name)))
  for (const name of [...folders].toSorted((one, other) => other.length - one.length)) {
    const path = join(folder, name)
    if (existsSync(path) && readdirSync(path).length === 0) rmdirSync(path)
  }
  put(folder, manifestFile, `${JSON.stringify({ files: written }, null, 2)}\n`)
}

/** The folders of a name: `run-1` and `run-1/repro` of `run-1/repro/OWN-04.sh`. */
const foldersOf = (name: string): ReadonlyArray<string> => {
  const above = dirname(name)
  return above === "." ? [] : [...foldersOf(above), above]
}

/**
 * Writes reports and record of a run into its folder and replaces those of earlier runs. Several runs get a combined
 * report and one folder each. Other files in the folder stay.
 */
export const write = Effect.fnUntraced(function* (folder: string, { profile, report, runs }: Whole, failOn: FailOn) {
  yield* Effect.try({
    try: () => {
      const within = (nth: number, names: ReadonlyArray<string>) => names.map((name) => `run-${nth}/${name}`)
      const written = [...putReport(folder, report, profile, failOn)]
      const [first, ...others] = runs
      if (first !== undefined && others.length === 0) written.push(...putRecord(folder, first))
      else {
        for (const [index, run] of runs.entries()) {
          const own = runFolder(folder, index + 1)
          const names = [...putReport(own, run.report, profile, failOn), ...putRecord(own, run)]
          written.push(...within(index + 1, names))
        }
      }
      clear(folder, written)
    },
    catch: (error) => new NotWritten({ message: `some reports could not be written: ${String(error)}` })
  })
})
