import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Exit } from "effect"
import { exitCodes, run } from "./Cli.ts"

/** Runs a command line to its end, which is the end of the process. */
export const main = (args: ReadonlyArray<string>): void => {
  // A server is meant to be stopped by a signal; anything else is cut short by one.
  const interrupted = args[0] === "serve" ? exitCodes.done : exitCodes.interrupted
  run(args).pipe(
    Effect.provide(NodeServices.layer),
    NodeRuntime.runMain({
      disableErrorReporting: true,
      teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) ? Number(exit.value) : interrupted)
    })
  )
}
