import { Console, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { differences } from "../formats/Differences.ts"
import { compare, isSame } from "../report/Comparison.ts"
import { exitCodes } from "../report/ExitCode.ts"
import { load } from "../report/ReportFile.ts"
import { exitWith } from "./CommandExit.ts"
import { Refused } from "./Refused.ts"

const loaded = (path: string) => Effect.mapError(load(path), ({ message }) => new Refused({ message }))

const report = (name: string) =>
  Argument.String(name).pipe(Argument.withDescription("A report folder, or the report.json in it"))

/** Compares two results, such as staging and production, or today and last week. */
export const diffCommand = Command.make(
  "diff",
  {
    left: report("left"),
    right: report("right"),
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON"), Flag.withDefault(false))
  },
  Effect.fnUntraced(function* ({ json, left, right }) {
    const comparison = compare(yield* loaded(left), yield* loaded(right))
    yield* Console.log(json ? JSON.stringify(comparison, null, 2) : differences(comparison))
    yield* exitWith(isSame(comparison) ? exitCodes.passed : exitCodes.failed)
  })
).pipe(Command.withDescription("Compare the verdicts and observations of two runs; exit code 1 if they differ"))
