import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import type { Profile } from "../Profile.ts"
import type { Report } from "../Report.ts"

/** Where a run writes down what it makes. */
export const journalFile = (folder: string): string => join(folder, "journal.ndjson")

/** Writes every report of a run into its folder. */
export const write = (folder: string, report: Report, _profile: Profile) =>
  Effect.sync(() => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "report.json"), `${JSON.stringify(report, null, 2)}\n`)
  })
