import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Exit } from "effect"
import { exitCodes, run } from "./Cli.ts"

/**
 * Runs a command line to its end, which is the end of the process. Servers and workers are meant to be stopped by a
 * signal; anything else is cut short by one.
 */
export const main = (args: ReadonlyArray<string>, isStoppedBySignals: boolean): void => {
  const interrupted = isStoppedBySignals ? exitCodes.done : exitCodes.interrupted
  run(args).pipe(
    Effect.provide(NodeServices.layer),
    NodeRuntime.runMain({
      disableErrorReporting: true,
      teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) ? Number(exit.value) : interrupted)
    })
  )
}
