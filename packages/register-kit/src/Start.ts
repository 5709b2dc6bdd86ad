import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { run } from "./Command.ts"

/** Runs the command line of this process and returns its exit code. */
export const start = (): Promise<number> => {
  // a reader such as `head` may close the pipe: the run continues
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
  return Effect.runPromise(Effect.provide(run(process.argv.slice(2)), NodeServices.layer))
}
