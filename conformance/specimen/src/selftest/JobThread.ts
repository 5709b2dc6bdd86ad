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

const choicesByName = new Map(choices.map((choice) => [choice.name, choice]))
const faultsByName = new Map(faults.map((fault) => [fault.name, fault]))

const judgeServer = (names: ReadonlyArray<string>) => {
  const chosen = names.flatMap((name) => choicesByName.get(name) ?? [])
  return Effect.map(ChoiceVerdict.verdictOn(hub, chosen), (server) => tell({ server }))
}

const workingBy = ({ readers, requests, walks }: Reached) => {
  const hasEffect = effects(hub, readers)
  return Effect.fnUntraced(function* (job: Job) {
    if ("fault" in job) {
      const fault = faultsByName.get(job.fault)
      if (fault === undefined) return yield* Effect.die(new Error(`unknown fault: ${job.fault}`))
      return tell({ verdict: yield* Verdict.verdictOn(hub, fault, walks.get(fault.name) ?? [], requests) })
    }
    const choice = choicesByName.get(job.effectOf)
    if (choice !== undefined && !(yield* hasEffect(choice))) tell({ idle: choice.name })
  })
}

const working = reached.then(([notes]) => workingBy(notes))

/** Takes the next jobs of a queue, one after another, until none is left. */
const takeAll = Effect.fnUntraced(function* <A>(
  queue: number,
  all: ReadonlyArray<A>,
  work: (job: A) => Effect.Effect<void>
) {
  for (;;) {
    const job = all[Atomics.add(counts, queue, 1)]
    if (job === undefined) return
    yield* work(job)
  }
})

/** Walks also wait for deliveries and limits, so a thread works on several servers and on several jobs at a time. */
const atATime = 4

const onServers = takeAll(0, servers, judgeServer)
const onJobs = Effect.flatMap(
  Effect.promise(() => working),
  (work) => takeAll(1, jobs, work)
)
const lanes = [...Arr.replicate(Effect.andThen(onServers, onJobs), atATime), ...Arr.replicate(onJobs, atATime)]
await Effect.runPromise(Effect.all(lanes, { concurrency: "unbounded", discard: true }))
