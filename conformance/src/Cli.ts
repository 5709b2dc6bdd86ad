import { Cause, Console, Effect, Logger, References } from "effect"
import { CliConfig, CliError, CliOutput, Command, GlobalFlag } from "effect/cli"
import { baselineCommand } from "./commands/Baseline.ts"
import { CommandExit } from "./commands/CommandExit.ts"
import { diffCommand } from "./commands/Diff.ts"
import { doctorCommand } from "./commands/Doctor.ts"
import { explainCommand } from "./commands/Explain.ts"
import { judgeCommand } from "./commands/Judge.ts"
import { listCommand } from "./commands/List.ts"
import { planCommand } from "./commands/Plan.ts"
import { Refused } from "./commands/Refused.ts"
import { runCommand } from "./commands/Run.ts"
import { selftestCommand } from "./commands/Selftest.ts"
import { sweepCommand } from "./commands/Sweep.ts"
import { initCommand } from "./init/Init.ts"
import { suiteVersion } from "./release/SuiteVersion.ts"
import { exitCodes } from "./report/ExitCode.ts"

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

const complain = (message: string) => Console.error(`wcs-conformance: ${message}`)

/** Requested help goes to standard output. Help after an error, and error messages, go to standard error. */
const presenter: CliOutput.Presenter = {
  present: (event) => {
    const formatter = CliOutput.defaultFormatter({ colors: false })
    switch (event._tag) {
      case "Version":
        return Console.log(formatter.formatVersion(event.name, event.version))
      case "Help":
        return event.reason === "Requested"
          ? Console.log(formatter.formatHelpDoc(event.helpDoc))
          : Console.error(formatter.formatHelpDoc(event.helpDoc))
      case "InvalidInvocation": {
        const messages = event.errors.map(({ message }) => message.replaceAll(/\s+/g, " "))
        return complain(`${messages.join("; ")} (see ${event.commandPath.join(" ")} --help)`)
      }
    }
  }
}

/** The exit code of a command that failed or ended with a code of its own. */
const exitCodeOfCause = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
  const error = Cause.squash(cause)
  if (error instanceof CommandExit) return error.code
  if (CliError.isCliError(error)) return exitCodes.usage // already printed by the presenter
  if (error instanceof Refused) return yield* Effect.as(complain(error.message), exitCodes.usage)
  yield* complain("internal error of the suite")
  yield* Console.error(Cause.pretty(cause))
  return exitCodes.fault
})

/** Runs one command line and returns its exit code. Fails only on interruption. */
export const run = (args: ReadonlyArray<string>) =>
  Command.runWith(root, { version: suiteVersion })(args).pipe(
    Effect.as<number>(exitCodes.passed),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.failCause(Cause.interrupt()) : exitCodeOfCause(cause)
    ),
    Effect.provideService(CliOutput.Presenter, presenter),
    Effect.provideService(
      CliConfig.CliConfig,
      CliConfig.make({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })
    ),
    Effect.provideService(Logger.LogToStderr, true),
    Effect.provideService(References.MinimumLogLevel, "Warn")
  )
