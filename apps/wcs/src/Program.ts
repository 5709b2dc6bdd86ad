import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Exit } from "effect"
import { ended, exitCodes } from "./Output.ts"

/** Runs any command line, and returns its exit code. */
const complete = (args: ReadonlyArray<string>) =>
  Effect.flatMap(
    Effect.promise(() => Promise.all([import("./Cli.ts"), import("@effect/platform-node/NodeServices")])),
    ([{ run }, { layer }]) => Effect.provide(run(args), layer)
  )

/** Servers and workers start without the parser of command lines, whose modules take a tenth of the start. */
const runnerOf = (args: ReadonlyArray<string>) => {
  const isJson = args[1] === "--json"
  switch (args.join(" ")) {
    case "serve":
    case "serve --json":
      return ended(isJson)(
        Effect.flatMap(
          Effect.promise(() => import("./Server.ts")),
          ({ run }) => run(isJson)
        )
      )
    case "worker":
    case "worker --json":
      return ended(isJson)(
        Effect.flatMap(
          Effect.promise(() => import("./WorkerApart.ts")),
          ({ run }) => run(isJson)
        )
      )
    default:
      return complete(args)
  }
}

/**
 * Runs a command line and ends the process. A signal stops servers and workers normally and interrupts all other
 * commands.
 */
export const main = (args: ReadonlyArray<string>, isStoppedBySignals: boolean): void => {
  const interrupted = isStoppedBySignals ? exitCodes.done : exitCodes.interrupted
  NodeRuntime.runMain(runnerOf(args), {
    disableErrorReporting: true,
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) ? Number(exit.value) : interrupted)
  })
}
