import { Cause, Console, Effect, Logger, References } from "effect"
import { CliConfig, CliError, CliOutput, Command, GlobalFlag } from "effect/cli"
import { suiteVersion } from "../release/SuiteVersion.ts"
import { exitCodes } from "../report/ExitCode.ts"
import { CommandExit } from "./CommandExit.ts"
import { Refused } from "./Refused.ts"

type Complain = (message: string) => Effect.Effect<void>

/** Requested help goes to standard output. Help after an error, and error messages, go to standard error. */
const presenterOf = (complain: Complain): CliOutput.Presenter => ({
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
})

/** The exit code of a command that failed or ended with a code of its own. */
const exitCodeOfCause = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>, complain: Complain) {
  const error = Cause.squash(cause)
  if (error instanceof CommandExit) return error.code
  if (CliError.isCliError(error)) return exitCodes.usage // already printed by the presenter
  if (error instanceof Refused) return yield* Effect.as(complain(error.message), exitCodes.usage)
  yield* complain("internal error of the suite")
  yield* Console.error(Cause.pretty(cause))
  return exitCodes.fault
})

/** Returns a function that runs one command line and returns its exit code. The function fails only on interruption. */
export const commandLine =
  <Name extends string, Input, ContextInput, E, R>(root: Command.Command<Name, Input, ContextInput, E, R>) =>
  (args: ReadonlyArray<string>) => {
    const complain: Complain = (message) => Console.error(`${root.name}: ${message}`)
    return Command.runWith(root, { version: suiteVersion })(args).pipe(
      Effect.as<number>(exitCodes.passed),
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause) ? Effect.failCause(Cause.interrupt()) : exitCodeOfCause(cause, complain)
      ),
      Effect.provideService(CliOutput.Presenter, presenterOf(complain)),
      Effect.provideService(
        CliConfig.CliConfig,
        CliConfig.make({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })
      ),
      Effect.provideService(Logger.LogToStderr, true),
      Effect.provideService(References.MinimumLogLevel, "Warn")
    )
  }
