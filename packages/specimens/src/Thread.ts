import { parentPort, workerData } from "node:worker_threads"
import type { Finding } from "@wcs/conformance/Finding"
import { Array as Arr, Effect, References } from "effect"
import { exhausts, findingsOf, judge } from "./Judging.ts"
import { rulesFor } from "./Matrix.ts"
import { mutants } from "./Mutants.ts"
import { ours } from "./Specimen.ts"
import * as Specimens from "./Specimens.ts"
import { variants } from "./Variants.ts"

// A thread of the self-test, which `Threads.ts` starts: it judges the next specimen that no thread has taken, until none
// is left. A mutant is judged by the walks of the rules that it was made to break, all else by every walk.

/** What the threads of one self-test share. */
export interface Assigned {
  /** The specimens that are judged, in the order in which they are begun. */
  readonly names: ReadonlyArray<string>
  /** How many of them were taken, by whichever thread came for the next. */
  readonly taken: SharedArrayBuffer
}

/** What a thread tells of a specimen. */
export interface Found {
  readonly name: string
  readonly findings: ReadonlyArray<Finding>
}

/** Specimens under judgement at a time: they wait for deliveries and limits, and not for the processor alone. */
const concurrency = 4

// What is refused is an error, some hundred thousand times here, and nobody reads where one of them arose.
Error.stackTraceLimit = 0

const { names, taken }: Assigned = workerData
const judgedWhole = new Map([ours, ...variants].map((specimen) => [specimen.name, specimen]))
const judgedInPart = new Map(mutants.map((mutant) => [mutant.name, mutant]))

const nextName = Effect.sync(() => names[Atomics.add(new Int32Array(taken), 0, 1)])

const judging = Effect.gen(function* () {
  const start = yield* Specimens.make
  const examine = Effect.fnUntraced(function* (name: string) {
    const mutant = judgedInPart.get(name)
    const specimen = mutant ?? judgedWhole.get(name)
    if (specimen === undefined) return yield* Effect.die(new Error(`no specimen is called ${name}`))
    const rules = mutant && rulesFor(mutant)
    return findingsOf(yield* judge(yield* start(specimen, exhausts(rules)), rules))
  }, Effect.scoped)
  const lane = Effect.gen(function* () {
    for (let name = yield* nextName; name !== undefined; name = yield* nextName) {
      parentPort?.postMessage({ name, findings: yield* examine(name) } satisfies Found)
    }
  })
  yield* Effect.all(Arr.replicate(lane, concurrency), { concurrency, discard: true })
})

await judging.pipe(
  Effect.scoped,
  // what our worker says of webhooks that nobody takes the deliveries of is no news here
  Effect.provideService(References.MinimumLogLevel, "Error"),
  Effect.runPromise
)
