import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Exit, Logger } from "effect"
import { CliConfig, CliError, CliOutput, Command, GlobalFlag } from "effect/cli"
import { admin } from "./Admin.ts"
import { Json } from "./Json.ts"
import { complain, Failed, Misused, report } from "./Output.ts"
import { Refused, serve } from "./ServeCommand.ts"

/** 1: it was not done, or it crashed. 2: nothing was tried, because the command line or a setting is wrong. */
const exitCode = { done: 0, failed: 1, refused: 2, interrupted: 130 } as const

const args = process.argv.slice(2)
// Asked before anything is parsed: what is wrong with the command line is told in the same form.
const isJson = args.includes("--json")

/** Help that was asked for is an answer; help for want of a command, and what is wrong with one, is a complaint. */
const presenter: CliOutput.Presenter = {
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
}

const builtIns = [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions]

const wcs = Command.make("wcs").pipe(
  Command.withDescription("Workforce Compliance Service"),
  Command.withSubcommands([serve, admin]),
  Command.withGlobalFlags([Json])
)

const tell = (cause: Cause.Cause<unknown>) => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.void
  const error = Cause.squash(cause)
  if (CliError.isCliError(error)) return Effect.void // the presenter has told it
  if (error instanceof Failed || error instanceof Misused) return report(error, isJson)
  if (error instanceof Refused) return complain("REFUSED", error.message, isJson)
  return isJson ? complain("INTERNAL", "this is a defect of wcs", isJson) : Console.error(Cause.pretty(cause))
}

const codeOf = (cause: Cause.Cause<unknown>): number => {
  if (Cause.hasInterruptsOnly(cause)) return args[0] === "serve" ? exitCode.done : exitCode.interrupted
  const error = Cause.squash(cause)
  if (error instanceof Misused || error instanceof Refused) return exitCode.refused
  return CliError.isCliError(error) ? exitCode.refused : exitCode.failed
}

// What is made here, the store and its journals among it, is the owner's alone.
process.umask(0o077)

Command.runWith(wcs, { version: "0.0.0" })(args).pipe(
  Effect.tapCause(tell),
  Effect.provideService(CliOutput.Presenter, presenter),
  Effect.provideService(CliConfig.CliConfig, CliConfig.make({ builtIns })),
  Effect.provideService(Logger.LogToStderr, true), // standard output is for the answer
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) ? exitCode.done : codeOf(exit.cause))
  })
)
