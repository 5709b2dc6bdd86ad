import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Exit } from "effect"
import { exitCodes, run } from "./Cli.ts"

/**
 * Runs a command line and ends the process. A signal stops servers and workers normally and interrupts all other
 * commands.
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
