import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { run } from "./Cli.ts"

/** Runs the command line of this process and returns its exit code. */
export const start = (): Promise<number> => {
  // the reader may close the pipe, as `head` does: that must not change what the command does
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
  return Effect.runPromise(Effect.provide(run(process.argv.slice(2)), NodeServices.layer))
}
