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
const unparsed = {
  serve: () => import("./Serving.ts"),
  worker: () => import("./Working.ts")
} as const

const runnerOf = (args: ReadonlyArray<string>) => {
  const [name = "", flag, ...more] = args
  const isJson = flag === "--json"
  if (!(name === "serve" || name === "worker") || more.length > 0 || !(isJson || flag === undefined)) {
    return complete(args)
  }
  const running = Effect.flatMap(
    Effect.promise(async () => (await unparsed[name]()).run),
    (run) => run(isJson)
  )
  return ended(isJson)(running)
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
