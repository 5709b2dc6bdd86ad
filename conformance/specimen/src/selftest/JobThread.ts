import { once } from "node:events"
import { parentPort, workerData } from "node:worker_threads"
import { Array as Arr, Effect } from "effect"
import { choices } from "../choices/Choices.ts"
import { faults } from "../faults/Faults.ts"
import * as Hub from "../target/Hub.ts"
import * as ChoiceVerdict from "./ChoiceVerdict.ts"
import { effects } from "./Effects.ts"
import type { Reached } from "./Reached.ts"
import * as Verdict from "./Verdict.ts"

// A thread of the self-test, started by `Jobs.ts`. It takes the next free job until none is left.

/** A server with one fault to judge, or a choice whose effect is sought. Both need the walks that come there. */
export type Job = { readonly fault: string } | { readonly effectOf: string }

/** State shared by the threads. */
export interface Shared {
  /** The choices of each server to judge. These jobs come first. */
  readonly servers: ReadonlyArray<ReadonlyArray<string>>
  readonly jobs: ReadonlyArray<Job>
  /** The numbers of servers and of jobs that all threads have taken. */
  readonly taken: SharedArrayBuffer
}

/** The result of a job: a verdict, or a choice without an effect. */
export type Found =
  | { readonly verdict: Verdict.Verdict }
  | { readonly server: ChoiceVerdict.ServerVerdict }
  | { readonly idle: string }

// refused calls create many errors, and their stack traces are never used
Error.stackTraceLimit = 0

const { jobs, servers, taken }: Shared = workerData
const reached = parentPort === null ? Promise.reject(new Error("not a thread")) : once(parentPort, "message")
const counts = new Int32Array(taken)
const hub = Hub.make()

const tell = (found: Found): void => parentPort?.postMessage(found)

/** Takes jobs from a queue, several at a time, because walks also wait for deliveries and limits. */
const takeAll = <A>(queue: number, all: ReadonlyArray<A>, atATime: number, work: (job: A) => Effect.Effect<void>) => {
  const lane = Effect.gen(function* () {
    for (;;) {
      const job = all[Atomics.add(counts, queue, 1)]
      if (job === undefined) return
      yield* work(job)
    }
  })
  return Effect.runPromise(Effect.all(Arr.replicate(lane, atATime), { concurrency: atATime, discard: true }))
}

const choicesByName = new Map(choices.map((choice) => [choice.name, choice]))
const faultsByName = new Map(faults.map((fault) => [fault.name, fault]))

await takeAll(0, servers, 4, (names) =>
  Effect.map(
    ChoiceVerdict.verdictOn(
      hub,
      names.flatMap((name) => choicesByName.get(name) ?? [])
    ),
    (server) => tell({ server })
  )
)

const [notes] = await reached
const { readers, requests, walks }: Reached = notes
const hasEffect = effects(hub, readers)

const workOn = Effect.fnUntraced(function* (job: Job) {
  if ("fault" in job) {
    const fault = faultsByName.get(job.fault)
    if (fault === undefined) return yield* Effect.die(new Error(`unknown fault: ${job.fault}`))
    return tell({ verdict: yield* Verdict.verdictOn(hub, fault, walks.get(fault.name) ?? [], requests) })
  }
  const choice = choicesByName.get(job.effectOf)
  if (choice !== undefined && !(yield* hasEffect(choice))) tell({ idle: choice.name })
})

await takeAll(1, jobs, 6, workOn)
