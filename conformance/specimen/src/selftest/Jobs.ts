import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import { rulesOf } from "@wcs/conformance/judgement/Walk"
import { walks } from "@wcs/conformance/walks/Walks"
import { Effect } from "effect"
import type { Choice } from "../choices/Rows.ts"
import type { Fault } from "../faults/Rows.ts"
import * as Hub from "../target/Hub.ts"
import type { ServerVerdict } from "./ChoiceVerdict.ts"
import type { Found, Job, Shared } from "./JobThread.ts"
import { type Reached, reached } from "./Reached.ts"
import type { Verdict } from "./Verdict.ts"

/** What a self-test judges. */
export interface Judged {
  /** Faults, each on a server of its own. */
  readonly faults?: ReadonlyArray<Fault>
  /** The choices of each server that every walk judges. */
  readonly servers?: ReadonlyArray<ReadonlyArray<Choice>>
  /** Choices whose effect on the exchanges is sought. */
  readonly tried?: ReadonlyArray<Choice>
}

/** The verdicts on the faults and on the servers, and the choices without an effect. */
export interface Verdicts {
  readonly faults: ReadonlyArray<Verdict>
  readonly servers: ReadonlyArray<ServerVerdict>
  readonly idle: ReadonlyArray<string>
}

/** A run is short and keeps most of its objects, so a small nursery would only copy them repeatedly. */
const resourceLimits = { maxYoungGenerationSizeMb: 192 }

/** Runs a thread to its end. It judges servers until `notes` are ready. */
const thread = (shared: Shared, notes: Effect.Effect<Reached>, tell: (found: Found) => void) =>
  Effect.suspend(() => {
    const worker = new Worker(new URL("./JobThread.ts", import.meta.url), { workerData: shared, resourceLimits })
    const ended = Effect.callback<void>((resume) => {
      worker.on("message", tell)
      worker.once("error", (error) => resume(Effect.die(error)))
      worker.once("exit", () => resume(Effect.void))
      return Effect.promise(() => worker.terminate())
    })
    const told = Effect.map(notes, (found) => worker.postMessage(found))
    return Effect.all([ended, told], { concurrency: "unbounded", discard: true })
  })

/** The place of a fault's rule in the order of walks, which begins with those that wait longest. */
const placeOf = ({ rule }: Fault): number => walks.findIndex((walk) => rulesOf(walk).includes(rule)) >>> 0

/** Judges faults and servers with choices, in as many threads as there are processors. */
export const judgeAll = Effect.fn("Jobs.judgeAll")(function* ({ faults = [], servers = [], tried = [] }: Judged) {
  const jobs: ReadonlyArray<Job> = [
    ...tried.map(({ name }) => ({ effectOf: name })),
    ...faults.toSorted((one, other) => placeOf(one) - placeOf(other)).map(({ name }) => ({ fault: name }))
  ]
  const none: Reached = { walks: new Map(), requests: new Map(), readers: new Map() }
  const notes = yield* Effect.cached(jobs.length === 0 ? Effect.succeed(none) : reached(Hub.make(), faults))
  const shared: Shared = {
    servers: servers.map((choices) => choices.map(({ name }) => name)),
    jobs,
    taken: new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)
  }
  const found: Array<Found> = []
  const one = thread(shared, notes, (each) => void found.push(each))
  const count = Math.min(availableParallelism(), jobs.length + servers.length)
  yield* Effect.all(
    Array.from({ length: count }, () => one),
    { concurrency: "unbounded", discard: true }
  )
  const verdicts = new Map(found.flatMap((each) => ("verdict" in each ? [[each.verdict.name, each.verdict]] : [])))
  return {
    faults: faults.flatMap(({ name }) => verdicts.get(name) ?? []),
    servers: found.flatMap((each) => ("server" in each ? [each.server] : [])),
    idle: found.flatMap((each) => ("idle" in each ? [each.idle] : []))
  } satisfies Verdicts
})
