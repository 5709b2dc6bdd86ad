import { parentPort, workerData } from "node:worker_threads"
import { Array as Arr, Effect } from "effect"
import { choices } from "../choices/Choices.ts"
import * as Hub from "../target/Hub.ts"
import { type ServerVerdict, verdictOn } from "./ChoiceVerdict.ts"
import { effects, type Readers } from "./Effects.ts"

// A thread that judges servers with choices, started by `Cover.ts`. It takes the next free job until none is left.

/** A server to judge, or a choice whose effect is sought. */
export type Job = { readonly server: ReadonlyArray<string> } | { readonly effectOf: string }

/** State shared by the threads. */
export interface Shared {
  readonly jobs: ReadonlyArray<Job>
  readonly readers: Readers
  /** The number of jobs taken by all threads. */
  readonly taken: SharedArrayBuffer
}

/** What a thread has found: a verdict, or a choice without an effect. */
export type Found = { readonly verdict: ServerVerdict } | { readonly idle: string }

/** Servers judged at a time in one thread, because walks also wait for deliveries and limits. */
const concurrency = 4

// refused calls create many errors, and their stack traces are never used
Error.stackTraceLimit = 0

const { jobs, readers, taken }: Shared = workerData
const byName = new Map(choices.map((choice) => [choice.name, choice]))
const hub = Hub.make()
const hasEffect = effects(hub, readers)

const tell = (found: Found): void => parentPort?.postMessage(found)

const work = Effect.fnUntraced(function* (job: Job) {
  if ("server" in job) {
    tell({
      verdict: yield* verdictOn(
        hub,
        job.server.flatMap((name) => byName.get(name) ?? [])
      )
    })
    return
  }
  const choice = byName.get(job.effectOf)
  if (choice !== undefined && !(yield* hasEffect(choice))) tell({ idle: choice.name })
})

const lane = Effect.gen(function* () {
  for (;;) {
    const job = jobs[Atomics.add(new Int32Array(taken), 0, 1)]
    if (job === undefined) return
    yield* work(job)
  }
})

await Effect.runPromise(Effect.all(Arr.replicate(lane, concurrency), { concurrency, discard: true }))
