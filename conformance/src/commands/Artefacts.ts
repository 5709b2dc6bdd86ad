import { accessSync, chmodSync, constants, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Data, Effect, Option } from "effect"
import type { Event } from "../Event.ts"
import type { FailOn } from "../ExitCode.ts"
import { entriesOf } from "../Journal.ts"
import type { Profile } from "../Profile.ts"
import { recordOf } from "../RecordedFile.ts"
import type { Report } from "../Report.ts"
import { reprosOf } from "../Repro.ts"
import { html } from "../report/Html.ts"
import { json } from "../report/Json.ts"
import { junit } from "../report/JUnit.ts"
import { markdown } from "../report/Markdown.ts"
import { isClear, isOver } from "../Sweep.ts"
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

interface Judged {
  readonly events: ReadonlyArray<Event>
  readonly report: Report
  readonly profile: Profile
}

const filesOf = ({ events, profile, report }: Judged, failOn: FailOn) => ({
  told: [
    ["report.json", json(report)],
    ["junit.xml", junit(report, failOn)],
    ["report.html", html(report)],
    ["report.md", markdown(report)],
    ...recordOf(events)
  ] as const,
  scripts: reprosOf(report, profile)
})

/** Writes all that a run leaves behind into its folder; what an earlier run left of the same is replaced. */
export const write = Effect.fnUntraced(function* (folder: string, judged: Judged, failOn: FailOn) {
  const { scripts, told } = filesOf(judged, failOn)
  const put = (name: string, text: string) => {
    const file = join(folder, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }
  yield* Effect.try({
    try: () => {
      for (const [name, text] of told) put(name, text)
      rmSync(join(folder, "repro"), { recursive: true, force: true })
      for (const [name, script] of scripts) chmodSync(put(name, script), 0o755)
    },
    catch: (error) => new NotWritten({ message: `not all of the reports could be written: ${String(error)}` })
  })
})
