import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import { Effect } from "effect"
import type { Assigned, Found } from "./Thread.ts"

/** A run is short and keeps most of its objects, so a small nursery would only copy them repeatedly. */
const resourceLimits = { maxYoungGenerationSizeMb: 192 }

/** One thread, until no specimen is left. */
const thread = (assigned: Assigned, tell: (found: Found) => void) =>
  Effect.callback<void>((resume) => {
    const worker = new Worker(new URL("./Thread.ts", import.meta.url), { workerData: assigned, resourceLimits })
    worker.on("message", tell)
    worker.once("error", (error) => resume(Effect.die(error)))
    worker.once("exit", () => resume(Effect.void))
    return Effect.promise(() => worker.terminate())
  })

/** The name of a job in the findings: those of its specimens. */
export const jobName = (job: ReadonlyArray<string>): string => job.join(" + ")

/** Judges specimens in as many threads as there are processors. Returns the findings by the name of the job. */
export const findingsAbout = Effect.fn("Threads.findingsAbout")(function* (jobs: Assigned["jobs"]) {
  const found = new Map<string, Found>()
  const assigned: Assigned = { jobs, taken: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT) }
  const one = thread(assigned, (one) => void found.set(jobName(one.job), one))
  const threads = Array.from({ length: Math.min(availableParallelism(), jobs.length) }, () => one)
  yield* Effect.all(threads, { concurrency: "unbounded", discard: true })
  return found
})
