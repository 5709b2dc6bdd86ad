import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import type { RuleId } from "../catalogue/Catalogue.ts"
import { isRuleId } from "../catalogue/RuleIdSchema.ts"
import { judgeInto, type Options } from "../engine/Conformance.ts"
import type { Event } from "../evidence/Event.ts"
import { annotationsOf } from "../formats/Annotations.ts"
import { exitCodeOf } from "../report/ExitCode.ts"
import { ofAll } from "../report/Repetition.ts"
import { load } from "../report/ReportFile.ts"
import { foundIn, reportOf } from "../report/Reporting.ts"
import { plainly } from "../repro/Shell.ts"
import { printAdvice } from "./AdviceOutput.ts"
import { type Judged, journalFile, write } from "./Artefacts.ts"
import { baselineFlag, byBaseline } from "./Baseline.ts"
import { calledAs } from "./CalledAs.ts"
import { exitWith } from "./CommandExit.ts"
import { judgingFlags } from "./JudgingFlags.ts"
import { Refused } from "./Refused.ts"
import { onlyFlag, rulesOf } from "./Rules.ts"
import { type PrinterOptions, printerOf } from "./RunPrinter.ts"
import { askedToStop } from "./Signals.ts"
import { targetFlags, targetOf } from "./Target.ts"
import { secondsToReady, waitFlag } from "./Waiting.ts"

/** The sweep command for a run with these flags. */
const sweepOf = (journal: string, { ca, profile }: Parameters<typeof targetOf>[0]): string => {
  const trusted = Option.isSome(ca) ? ["--ca", plainly(ca.value)] : []
  return [calledAs(process.env), "sweep", plainly(journal), "-p", plainly(profile), ...trusted].join(" ")
}

const maxRepeats = 100

/** The rules without a result that stands in an earlier report, among the chosen ones if there are any. */
const openIn = Effect.fnUntraced(function* (result: string, chosen: Option.Option<ReadonlySet<RuleId>>) {
  const { rules } = yield* Effect.mapError(load(result), ({ message }) => new Refused({ message }))
  const open = rules.flatMap((rule) =>
    isRuleId(rule.id) && ["fail", "warn", "inconclusive", "error"].includes(foundIn(rule)) ? [rule.id] : []
  )
  return new Set(open.filter((id) => Option.isNone(chosen) || chosen.value.has(id)))
})

/** Judges the deployment once and reports progress. */
export const judgedOnce = Effect.fnUntraced(function* (options: Options, printer: ReturnType<typeof printerOf>) {
  const events: Array<Event> = []
  yield* judgeInto(options, (event) => {
    events.push(event)
    printer.print(event)
  }).pipe(
    Effect.raceFirst(printer.ticking),
    Effect.catchTag("SecretsMissing", ({ message }) => Effect.fail(new Refused({ message })))
  )
  const report = reportOf(events, options.suite?.rules, options.suite?.walks)
  if (report === undefined) return yield* Effect.die(new Error("the run emitted no report"))
  const judged: Judged = { events, report }
  return judged
})

/** Runs one after another. Stops after a run that does not finish. */
const judgedRepeatedly = Effect.fnUntraced(function* (times: number, options: Options, printing: PrinterOptions) {
  const first = yield* judgedOnce(options, printerOf(printing))
  const runs: [Judged, ...Array<Judged>] = [first]
  while (runs.length < times && runs.at(-1)?.report.header.ending.as === "finished") {
    runs.push(yield* judgedOnce(options, printerOf(printing)))
  }
  return runs
})

/** Judges a deployment. */
export const runCommand = Command.make(
  "run",
  {
    ...targetFlags,
    only: onlyFlag,
    out: Flag.String("out").pipe(
      Flag.withAlias("o"),
      Flag.withDescription("The folder for reports, evidence and the journal"),
      Flag.withDefault("conformance-report")
    ),
    repeat: Flag.Int("repeat").pipe(
      Flag.withDescription("Number of runs; a verdict that differs between runs is inconclusive"),
      Flag.withDefault(1)
    ),
    wait: waitFlag,
    rerun: Flag.String("rerun").pipe(
      Flag.withDescription(
        "Only the rules that failed, warned or were inconclusive in a result: its folder or report.json"
      ),
      Flag.optional
    ),
    baseline: baselineFlag,
    ...judgingFlags
  },
  Effect.fnUntraced(function* (all) {
    const { annotations, baseline, failOn, list: lists, noColor, only, out, quiet, repeat, rerun, wait, ...given } = all
    if (repeat < 1 || repeat > maxRepeats) {
      return yield* new Refused({ message: `--repeat takes 1 to ${maxRepeats}` })
    }
    const { ca, clientCertificate, profile } = yield* targetOf(given)
    const chosen = yield* rulesOf(only)
    const rules = Option.isNone(rerun) ? chosen : Option.some(yield* openIn(rerun.value, chosen))
    const seconds = yield* secondsToReady(wait)
    if (Option.isSome(rules) && rules.value.size === 0)
      return yield* Console.log("nothing to run again: no rule failed")
    const known = yield* byBaseline(baseline)
    const printing: PrinterOptions = {
      isTty: process.stdout.isTTY === true,
      noColor,
      quiet,
      lists,
      baselined: known.rules
    }
    const journal = yield* journalFile(out)
    const options: Options = {
      profile,
      environment: process.env,
      stop: yield* askedToStop(sweepOf(journal, given)),
      journalFile: journal,
      ca,
      clientCertificate,
      secondsToReady: seconds,
      ...(Option.isSome(rules) ? { only: rules.value } : {})
    }
    const runs = yield* judgedRepeatedly(repeat, options, printing)
    const report = known.told(ofAll([runs[0].report, ...runs.slice(1).map((run) => run.report)]))
    // the verdict stands even if it cannot be stored
    yield* Effect.catchTag(write(out, { runs, report, profile }, failOn), "NotWritten", ({ message }) =>
      Console.error(`wcs-conformance: ${message}`)
    )
    const isUnreachable = report.header.ending.as === "unreachable"
    printerOf(printing).conclude(report, out)
    if (Option.isSome(annotations)) yield* Effect.forEach(annotationsOf(report), (line) => Console.log(line))
    const last = runs.at(-1)?.events.findLast((event) => event.type === "exchange")
    if (isUnreachable && last !== undefined && !quiet) yield* printAdvice(last.exchange)
    yield* exitWith(exitCodeOf(report, failOn))
  }, Effect.scoped)
).pipe(Command.withDescription("Judge a deployment"))
