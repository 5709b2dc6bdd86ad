import { version } from "@wcs/http-node/Version"
import { Cause, Console, Effect, Logger, References } from "effect"
import { CliConfig, CliError, CliOutput, Command, GlobalFlag } from "effect/cli"
import { Json } from "./Json.ts"
import { migrate } from "./MigrateCommand.ts"
import { complain, Failed, Misused } from "./Output.ts"
import { Refused, serve } from "./ServeCommand.ts"
import { worker } from "./WorkerCommand.ts"

/** The exit codes. */
export const exitCodes = {
  done: 0,
  /** The command failed or crashed. */
  failed: 1,
  /** The command line or a setting is invalid. Nothing was done. */
  refused: 2,
  interrupted: 130
} as const

const wcs = Command.make("wcs").pipe(Command.withDescription("Workforce Compliance Service"))
const processes = [serve, worker, migrate] as const

/** Servers and workers start without the commands of operators, whose modules are large. */
const lean = wcs.pipe(Command.withSubcommands(processes), Command.withGlobalFlags([Json]))
const isLean = (name: string | undefined): boolean => processes.some((command) => command.name === name)

const complete = Effect.map(
  Effect.promise(() =>
    Promise.all([
      import("./admin/AdminCommand.ts"),
      import("./audit/AuditCommand.ts"),
      import("./backup/BackupCommand.ts"),
      import("./doctor/DoctorCommand.ts"),
      import("./ConformanceCommand.ts"),
      import("./top/TopCommand.ts")
    ])
  ),
  ([{ admin }, { audit }, { backup, restore }, { doctor }, { conformanceProfile }, { top }]) =>
    wcs.pipe(
      Command.withSubcommands([...processes, admin, audit, backup, restore, doctor, top, conformanceProfile]),
      Command.withGlobalFlags([Json])
    )
)

/** One sentence of a usage error. Effect writes suggestions on lines of their own. */
const sentenceOf = (message: string): string => {
  const [text = "", names] = message.split(/\s+Did you mean this\?\s+/)
  return names === undefined ? text : `${text}. Did you mean ${names.split(/\n\s*/).join(" or ")}?`
}

/** Prints requested help to standard output. Prints usage errors, and help for a missing command, to standard error. */
const presenter = (isJson: boolean): CliOutput.Presenter => ({
  present: (event) => {
    const formatter = CliOutput.defaultFormatter({ colors: false })
    switch (event._tag) {
      case "Version":
        return Console.log(formatter.formatVersion(event.name, event.version))
      case "Help":
        if (event.reason === "Requested") return Console.log(formatter.formatHelpDoc(event.helpDoc))
        return isJson
          ? complain("USAGE", "a command is missing; see wcs --help", isJson)
          : Console.error(formatter.formatHelpDoc(event.helpDoc))
      case "InvalidInvocation": {
        const messages = event.errors.map(({ message }) => sentenceOf(message).replaceAll(/\s+/g, " "))
        const hint = `see ${event.commandPath.join(" ")} --help`
        return complain("USAGE", `${messages.join("; ")} (${hint})`, isJson)
      }
    }
  }
})

/** Prints an error as one sentence, or a defect with its trace. Returns the exit code. */
const settle = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>, isJson: boolean) {
  const error = Cause.squash(cause)
  if (CliError.isCliError(error)) return exitCodes.refused // already printed by the presenter
  if (error instanceof Misused) return yield* Effect.as(complain("USAGE", error.message, isJson), exitCodes.refused)
  if (error instanceof Refused) return yield* Effect.as(complain("REFUSED", error.message, isJson), exitCodes.refused)
  if (error instanceof Failed) return yield* Effect.as(complain(error.code, error.message, isJson), exitCodes.failed)
  yield* isJson
    ? complain("INTERNAL", "internal error of wcs; run it without --json for details", isJson)
    : Console.error(Cause.pretty(cause))
  return exitCodes.failed
})

/** Runs a command line and returns its exit code. Interruptions propagate. */
export const run = (args: ReadonlyArray<string>) => {
  // Checked before parsing, so that usage errors also use JSON.
  const isJson = args.includes("--json")
  const builtIns = [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions]
  const options = { version }
  const running = isLean(args[0])
    ? Command.runWith(lean, options)(args)
    : Effect.flatMap(complete, (all) => Command.runWith(all, options)(args))
  return running.pipe(
    Effect.as(exitCodes.done),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.failCause(Cause.interrupt()) : settle(cause, isJson)
    ),
    Effect.provideService(CliOutput.Presenter, presenter(isJson)),
    Effect.provideService(CliConfig.CliConfig, CliConfig.make({ builtIns })),
    // Standard output is only for the result.
    Effect.provideService(Logger.LogToStderr, true),
    Effect.provideService(References.MinimumLogLevel, "Warn")
  )
}
