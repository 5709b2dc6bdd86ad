import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { run } from "./Cli.ts"

/** Runs the command line that this process was given, to its exit code. */
export const start = (): Promise<number> => {
  // who reads may go away, as `head` does: what is told to nobody changes nothing of what is done
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
  return Effect.runPromise(Effect.provide(run(process.argv.slice(2)), NodeServices.layer))
}
