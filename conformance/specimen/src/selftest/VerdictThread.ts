import { parentPort, workerData } from "node:worker_threads"
import { Array as Arr, Effect } from "effect"
import { faults } from "../faults/Faults.ts"
import * as Hub from "../target/Hub.ts"
import type { Reached } from "./Reached.ts"
import { verdictOn } from "./Verdict.ts"

// A thread of the self-test, started by `Verdicts.ts`. It judges the next free fault until none is left.

/** State shared by the threads of a self-test. */
export interface Shared extends Reached {
  /** The faults to judge, in order. */
  readonly names: ReadonlyArray<string>
  /** The number of faults taken by all threads. */
  readonly taken: SharedArrayBuffer
}

/** Faults judged at a time in one thread, because some wait for deliveries that do not come. */
const concurrency = 6

// refused calls create many errors, and their stack traces are never used
Error.stackTraceLimit = 0

const { names, requests, taken, walks }: Shared = workerData
const byName = new Map(faults.map((fault) => [fault.name, fault]))
const hub = Hub.make()

const lane = Effect.gen(function* () {
  for (;;) {
    const name = names[Atomics.add(new Int32Array(taken), 0, 1)]
    if (name === undefined) return
    const fault = byName.get(name)
    if (fault === undefined) return yield* Effect.die(new Error(`unknown fault: ${name}`))
    parentPort?.postMessage(yield* verdictOn(hub, fault, walks.get(name) ?? [], requests))
  }
})

await Effect.runPromise(Effect.all(Arr.replicate(lane, concurrency), { concurrency, discard: true }))
