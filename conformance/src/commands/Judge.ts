import { resolve, sep } from "node:path"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { profileOf, rejudge } from "../engine/Rejudging.ts"
import { load } from "../evidence/RecordedFile.ts"
import { annotationsOf } from "../formats/Annotations.ts"
import { exitCodeOf } from "../report/ExitCode.ts"
import { ofAll } from "../report/Repetition.ts"
import { reportOf } from "../report/Reporting.ts"
import { exchangeRules, walks } from "../walks/Walks.ts"
import { runFolders, write } from "./Artefacts.ts"
import { baselineFlag, byBaseline } from "./Baseline.ts"
import { exitWith } from "./CommandExit.ts"
import { judgingFlags } from "./JudgingFlags.ts"
import { Refused } from "./Refused.ts"
import { printerOf } from "./RunPrinter.ts"

/** Judges the run in one folder again. */
const judgedAgain = Effect.fnUntraced(function* (folder: string) {
  const recorded = yield* Effect.mapError(load(folder), ({ message }) => new Refused({ message }))
  const events = yield* rejudge(recorded, { walks, exchangeRules })
  const [report, profile] = [reportOf(events), profileOf(recorded)]
  if (report === undefined || profile === undefined) return yield* Effect.die(new Error("the run emitted no report"))
  return { events, report, profile }
})

/** Judges a recorded run again. */
export const judgeCommand = Command.make(
  "judge",
  {
    folder: Argument.String("folder").pipe(Argument.withDescription("The report folder of a run")),
    out: Flag.String("out").pipe(
      Flag.withAlias("o"),
      Flag.withDescription("Another folder for the reports; without it none are written"),
      Flag.optional
    ),
    baseline: baselineFlag,
    ...judgingFlags
  },
  Effect.fnUntraced(function* ({ annotations, baseline, failOn, folder, list: lists, noColor, out, quiet }) {
    if (Option.isSome(out) && `${resolve(folder)}${sep}`.startsWith(`${resolve(out.value)}${sep}`)) {
      return yield* new Refused({
        message: "--out: this folder holds the evidence, which is never changed; choose another folder"
      })
    }
    const known = yield* byBaseline(baseline)
    const runs = yield* Effect.forEach(runFolders(folder), judgedAgain)
    const [first, ...others] = runs
    if (first === undefined) return yield* Effect.die(new Error("there is no run"))
    const { profile } = first
    const report = known.told(ofAll([first.report, ...others.map((run) => run.report)]))
    if (Option.isSome(out)) {
      yield* Effect.catchTag(write(out.value, { runs, report, profile }, failOn), "NotWritten", ({ message }) =>
        Console.error(`wcs-conformance: ${message}`)
      )
    }
    printerOf({ isTty: process.stdout.isTTY === true, noColor, quiet, lists }).conclude(
      report,
      Option.getOrElse(out, () => folder)
    )
    if (Option.isSome(annotations)) yield* Effect.forEach(annotationsOf(report), (line) => Console.log(line))
    yield* exitWith(exitCodeOf(report, failOn))
  })
).pipe(Command.withDescription("Judge a recorded run again from its folder; sends nothing"))
