import { Cause, Console, Effect, Logger, References } from "effect"
import { CliConfig, CliError, CliOutput, Command, GlobalFlag } from "effect/cli"
import { admin } from "./Admin.ts"
import { conformanceProfile } from "./ConformanceCommand.ts"
import { Json } from "./Json.ts"
import { migrate } from "./MigrateCommand.ts"
import { complain, Failed, Misused } from "./Output.ts"
import { Refused, serve } from "./ServeCommand.ts"
import { worker } from "./WorkerCommand.ts"

/** How a command ended, as the shell is told. */
export const exitCodes = {
  done: 0,
  /** It was not done, or it crashed. */
  failed: 1,
  /** Nothing was tried: the command line is wrong, or the server cannot start like this. */
  refused: 2,
  interrupted: 130
} as const

const wcs = Command.make("wcs").pipe(
  Command.withDescription("Workforce Compliance Service"),
  Command.withSubcommands([serve, worker, migrate, admin, conformanceProfile]),
  Command.withGlobalFlags([Json])
)

/** Help that was asked for is an answer; help for want of a command, and what is wrong with one, is a complaint. */
const presenter = (isJson: boolean): CliOutput.Presenter => ({
  present: (event) => {
    const formatter = CliOutput.defaultFormatter({ colors: false })
    switch (event._tag) {
      case "Version":
        return Console.log(formatter.formatVersion(event.name, event.version))
      case "Help":
        if (event.reason === "Requested") return Console.log(formatter.formatHelpDoc(event.helpDoc))
        return isJson
          ? complain("USAGE", "a command is missing", isJson)
          : Console.error(formatter.formatHelpDoc(event.helpDoc))
      case "InvalidInvocation": {
        const messages = event.errors.map(({ message }) => message.replaceAll(/\s+/g, " "))
        const hint = `see ${event.commandPath.join(" ")} --help`
        return complain("USAGE", `${messages.join("; ")} (${hint})`, isJson)
      }
    }
  }
})

/** Tells what a command failed with, in one sentence unless it is a defect, and answers the exit code. */
const settle = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>, isJson: boolean) {
  const error = Cause.squash(cause)
  if (CliError.isCliError(error)) return exitCodes.refused // the presenter has told it
  if (error instanceof Misused) return yield* Effect.as(complain("USAGE", error.message, isJson), exitCodes.refused)
  if (error instanceof Refused) return yield* Effect.as(complain("REFUSED", error.message, isJson), exitCodes.refused)
  if (error instanceof Failed) return yield* Effect.as(complain(error.code, error.message, isJson), exitCodes.failed)
  yield* isJson ? complain("INTERNAL", "this is a defect of wcs", isJson) : Console.error(Cause.pretty(cause))
  return exitCodes.failed
})

/** Runs one command line to its exit code; only an interruption goes on as such. */
export const run = (args: ReadonlyArray<string>) => {
  // Asked before anything is parsed: what is wrong with the command line is told in the same form.
  const isJson = args.includes("--json")
  const builtIns = [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions]
  return Command.runWith(wcs, { version: "0.0.0" })(args).pipe(
    Effect.as(exitCodes.done),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.failCause(Cause.interrupt()) : settle(cause, isJson)
    ),
    Effect.provideService(CliOutput.Presenter, presenter(isJson)),
    Effect.provideService(CliConfig.CliConfig, CliConfig.make({ builtIns })),
    // Standard output is for the answer, and a command that works has nothing to log.
    Effect.provideService(Logger.LogToStderr, true),
    Effect.provideService(References.MinimumLogLevel, "Warn")
  )
}
