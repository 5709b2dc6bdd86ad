import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import type { Event } from "../Event.ts"
import type { FailOn } from "../ExitCode.ts"
import type { Profile } from "../Profile.ts"
import type { Report } from "../Report.ts"
import { reprosOf } from "../Repro.ts"
import { html } from "../report/Html.ts"
import { json } from "../report/Json.ts"
import { junit } from "../report/JUnit.ts"
import { markdown } from "../report/Markdown.ts"
import { reproPath } from "../report/Told.ts"

/** Where a run writes down what it makes. */
export const journalFile = (folder: string): string => join(folder, "journal.ndjson")

/** Every exchange of a run, redacted, one line of JSON each. */
const exchangesOf = (events: ReadonlyArray<Event>): string =>
  events.flatMap((event) => (event.type === "exchange" ? [`${JSON.stringify(event.exchange)}\n`] : [])).join("")

/** Writes all that a run leaves behind into its folder; what an earlier run left of the same is replaced. */
export const write = (
  folder: string,
  run: { readonly events: ReadonlyArray<Event>; readonly report: Report; readonly profile: Profile },
  failOn: FailOn
) =>
  Effect.sync(() => {
    const put = (name: string, text: string) => {
      const file = join(folder, name)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
      return file
    }
    put("report.json", json(run.report))
    put("junit.xml", junit(run.report, failOn))
    put("report.html", html(run.report))
    put("report.md", markdown(run.report))
    put("exchanges.ndjson", exchangesOf(run.events))
    rmSync(join(folder, "repro"), { recursive: true, force: true })
    for (const [rule, script] of reprosOf(run.report, run.profile)) chmodSync(put(reproPath(rule), script), 0o755)
  })
