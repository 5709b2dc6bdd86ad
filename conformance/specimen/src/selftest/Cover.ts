import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import { Effect } from "effect"
import { choices, incompatible } from "../choices/Choices.ts"
import { coveringOf } from "../choices/Covering.ts"
import type { Choice } from "../choices/Rows.ts"
import * as Hub from "../target/Hub.ts"
import type { ServerVerdict } from "./ChoiceVerdict.ts"
import type { Found, Job, Shared } from "./CoverThread.ts"
import { readersOf } from "./Effects.ts"

/** The verdicts on the servers, and the choices without an effect. */
export interface CoverReport {
  readonly servers: ReadonlyArray<ServerVerdict>
  readonly idle: ReadonlyArray<string>
}

const thread = (shared: Shared, tell: (found: Found) => void) =>
  Effect.callback<void>((resume) => {
    const resourceLimits = { maxYoungGenerationSizeMb: 192 }
    const worker = new Worker(new URL("./CoverThread.ts", import.meta.url), { workerData: shared, resourceLimits })
    worker.on("message", tell)
    worker.once("error", (error) => resume(Effect.die(error)))
    worker.once("exit", () => resume(Effect.void))
    return Effect.promise(() => worker.terminate())
  })

const namesOf = (server: ReadonlyArray<Choice>): ReadonlyArray<string> => server.map(({ name }) => name)

/** Judges these servers by every walk, and looks for choices without an effect, in as many threads as processors. */
export const judgeServers = Effect.fn("Cover.judgeServers")(function* (
  servers: ReadonlyArray<ReadonlyArray<Choice>>,
  tried: ReadonlyArray<Choice>
) {
  const readers = tried.length === 0 ? new Map<string, ReadonlyArray<string>>() : yield* readersOf(Hub.make())
  const jobs: ReadonlyArray<Job> = [
    ...servers.map((server) => ({ server: namesOf(server) })),
    ...tried.map(({ name }) => ({ effectOf: name }))
  ]
  const shared: Shared = { jobs, readers, taken: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT) }
  const found: Array<Found> = []
  const one = thread(shared, (each) => void found.push(each))
  const threads = Array.from({ length: Math.min(availableParallelism(), jobs.length) }, () => one)
  yield* Effect.all(threads, { concurrency: "unbounded", discard: true })
  return {
    servers: found.flatMap((each) => ("verdict" in each ? [each.verdict] : [])),
    idle: found.flatMap((each) => ("idle" in each ? [each.idle] : []))
  } satisfies CoverReport
})

/** Judges the covering of all choices, and looks for choices without an effect. */
export const judgeCovering = Effect.suspend(() => judgeServers(coveringOf(choices, incompatible), choices))

/** One sentence for each problem: an alarm of the suite with its choices, and a choice without an effect. */
export const complaintsOf = ({ idle, servers }: CoverReport): ReadonlyArray<string> => [
  ...new Set(
    servers.flatMap(({ alarms, choices: all }) =>
      alarms.map(({ culprits, outcome, reason, rule }) => {
        const about = culprits.length === 0 ? `one of ${all.length} choices in a whole run` : culprits.join(" + ")
        return `second server with ${about}: ${outcome} ${rule}: ${reason}`
      })
    )
  ),
  ...idle.map((name) => `choice without an effect on the run: ${name}`)
]
