import { existsSync, writeFileSync } from "node:fs"
import { Console, DateTime, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { schemaFrom } from "../release/PackageFile.ts"
import { baselineOf, withBaseline } from "../report/Baseline.ts"
import * as BaselineFile from "../report/BaselineFile.ts"
import { counted } from "../report/Headline.ts"
import type { Report } from "../report/Report.ts"
import { load } from "../report/ReportFile.ts"
import { judgingFlags } from "./JudgingFlags.ts"
import { Refused } from "./Refused.ts"

/** The default lifetime of an entry in days. */
const usualDays = 90

const dateIn = (days: number) =>
  Effect.map(DateTime.now, (now) => DateTime.formatIsoDateUtc(DateTime.add(now, { days })))

export const baselineFlag = Flag.String("baseline").pipe(
  Flag.withDescription("A baseline file of known failures, as the baseline command writes it"),
  Flag.optional
)

/**
 * Returns a function that applies the given baseline, if any, to a report. Reads the file before anything else happens.
 */
export const byBaseline = Effect.fnUntraced(function* (file: Option.Option<string>) {
  const none: ReadonlySet<string> = new Set()
  if (Option.isNone(file)) return { rules: none, told: (report: Report) => report }
  const baseline = yield* Effect.mapError(BaselineFile.load(file.value), ({ message }) => new Refused({ message }))
  const today = yield* dateIn(0)
  return {
    rules: new Set(baseline.entries.map(({ rule }) => rule)),
    told: (report: Report) => withBaseline(report, baseline, today)
  }
})

/** Writes the known failures to a file. People add the reasons. */
export const baselineCommand = Command.make(
  "baseline",
  {
    result: Argument.String("result").pipe(Argument.withDescription("A report folder, or the report.json in it")),
    out: Flag.String("out").pipe(
      Flag.withAlias("o"),
      Flag.withDescription("The file to write; an existing file is never overwritten"),
      Flag.withDefault("conformance-baseline.json")
    ),
    days: Flag.Int("days").pipe(Flag.withDescription("Days until an entry expires"), Flag.withDefault(usualDays)),
    failOn: judgingFlags.failOn
  },
  Effect.fnUntraced(function* ({ days, failOn, out, result }) {
    if (days < 1 || days > 3650) return yield* new Refused({ message: "--days must be a whole number from 1 to 3650" })
    if (existsSync(out)) return yield* new Refused({ message: `${out} already exists` })
    const report = yield* Effect.mapError(load(result), ({ message }) => new Refused({ message }))
    const { entries } = baselineOf(report, failOn, yield* dateIn(days))
    const $schema = schemaFrom(out, BaselineFile.baselineSchemaFile)
    yield* Effect.try({
      try: () => writeFileSync(out, `${JSON.stringify({ $schema, entries }, null, 2)}\n`, { flag: "wx" }),
      catch: () => new Refused({ message: `--out: ${out} cannot be written` })
    })
    const open = entries.filter(({ reason }) => reason === "").length
    const next =
      open === 0 ? "" : `; add a reason to ${open === 1 ? "one" : `${open}`}: an entry without a reason fails the run`
    yield* Console.log(`${out} has ${counted(entries.length, "entry", "entries")}${next}`)
  })
).pipe(Command.withDescription("Write a baseline of the failures in a result, so that only new failures fail a run"))
