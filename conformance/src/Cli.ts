import { Command } from "effect/cli"
import { baselineCommand } from "./commands/Baseline.ts"
import { commandLine } from "./commands/CommandLine.ts"
import { diffCommand } from "./commands/Diff.ts"
import { doctorCommand } from "./commands/Doctor.ts"
import { explainCommand } from "./commands/Explain.ts"
import { judgeCommand } from "./commands/Judge.ts"
import { listCommand } from "./commands/List.ts"
import { planCommand } from "./commands/Plan.ts"
import { runCommand } from "./commands/Run.ts"
import { selftestCommand } from "./commands/Selftest.ts"
import { sweepCommand } from "./commands/Sweep.ts"
import { initCommand } from "./init/Init.ts"

const root = Command.make("wcs-conformance").pipe(
  Command.withDescription(
    "Checks a deployment of the Workforce Compliance Service against every rule of its specification"
  ),
  Command.withSubcommands([
    initCommand,
    doctorCommand,
    planCommand,
    runCommand,
    judgeCommand,
    diffCommand,
    baselineCommand,
    explainCommand,
    listCommand,
    sweepCommand,
    selftestCommand
  ])
)

/** Runs one command line and returns its exit code. Fails only on interruption. */
export const run = commandLine(root)
