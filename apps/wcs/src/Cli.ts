import { version } from "@wcs/deployment/Version"
import { Console, Effect } from "effect"
import { CliConfig, CliError, CliOutput, Command, GlobalFlag } from "effect/cli"
import { admin } from "./admin/AdminCommand.ts"
import { audit } from "./audit/AuditCommand.ts"
import { backup, erasures, restore } from "./backup/BackupCommand.ts"
import { conformanceProfile } from "./ConformanceCommand.ts"
import { doctor } from "./doctor/DoctorCommand.ts"
import { importWorkers } from "./import/ImportCommand.ts"
import { Json } from "./Json.ts"
import { migrate } from "./MigrateCommand.ts"
import { moveTenant } from "./move/MoveCommand.ts"
import { complain, ended, exitCodes } from "./Output.ts"
import { serve } from "./ServeCommand.ts"
import { settings } from "./SettingsCommand.ts"
import { top } from "./top/TopCommand.ts"
import { worker } from "./WorkerCommand.ts"

const wcs = Command.make("wcs").pipe(
  Command.withDescription("Workforce Compliance Service"),
  Command.withSubcommands([
    serve,
    worker,
    migrate,
    moveTenant,
    settings,
    admin,
    importWorkers,
    audit,
    backup,
    restore,
    erasures,
    doctor,
    top,
    conformanceProfile
  ]),
  Command.withGlobalFlags([Json])
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

/** Runs a command line and returns its exit code. Interruptions propagate. */
export const run = (args: ReadonlyArray<string>) => {
  // Checked before parsing, so that usage errors also use JSON.
  const isJson = args.includes("--json")
  const builtIns = [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions]
  return Command.runWith(wcs, { version })(args).pipe(
    Effect.as(exitCodes.done),
    Effect.catchIf(CliError.isCliError, () => Effect.succeed(exitCodes.refused)), // already printed by the presenter
    Effect.provideService(CliOutput.Presenter, presenter(isJson)),
    Effect.provideService(CliConfig.CliConfig, CliConfig.make({ builtIns })),
    ended(isJson)
  )
}
