import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import { Effect } from "effect"
import type { Fault } from "../faults/Rows.ts"
import * as Hub from "../target/Hub.ts"
import { reached } from "./Reached.ts"
import type { Verdict } from "./Verdict.ts"
import type { Shared } from "./VerdictThread.ts"

/** A run is short and keeps most of its objects, so a small nursery would only copy them repeatedly. */
const resourceLimits = { maxYoungGenerationSizeMb: 192 }

const thread = (shared: Shared, tell: (verdict: Verdict) => void) =>
  Effect.callback<void>((resume) => {
    const worker = new Worker(new URL("./VerdictThread.ts", import.meta.url), { workerData: shared, resourceLimits })
    worker.on("message", tell)
    worker.once("error", (error) => resume(Effect.die(error)))
    worker.once("exit", () => resume(Effect.void))
    return Effect.promise(() => worker.terminate())
  })

/** Judges servers with one fault each, in as many threads as there are processors. */
export const verdictsOn = Effect.fn("Verdicts.verdictsOn")(function* (judged: ReadonlyArray<Fault>) {
  const found = yield* reached(Hub.make(), judged)
  const names = judged.map(({ name }) => name)
  const shared: Shared = { ...found, names, taken: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT) }
  const verdicts: Array<Verdict> = []
  const one = thread(shared, (verdict) => void verdicts.push(verdict))
  const threads = Array.from({ length: Math.min(availableParallelism(), names.length) }, () => one)
  yield* Effect.all(threads, { concurrency: "unbounded", discard: true })
  return verdicts.toSorted((left, right) => names.indexOf(left.name) - names.indexOf(right.name))
})
