import { parentPort, workerData } from "node:worker_threads"
import type { Finding } from "@wcs/conformance/engine/Finding"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { Array as Arr, Effect, Fiber, References } from "effect"
import { differing, recordingOf } from "../Differing.ts"
import type { Mutant } from "../Mutant.ts"
import { mutants } from "../Mutants.ts"
import { ours, type Specimen } from "../Specimen.ts"
import * as Specimens from "../Specimens.ts"
import { variants } from "../Variants.ts"
import { exhausts, findingsOf, judge, judgeBy } from "./Judging.ts"
import { isSeenByWaiting, rulesFor } from "./Matrix.ts"

// A thread of the self-test, started by `Threads.ts`. It judges the next free specimen until none is left. Every walk
// judges our unchanged deployment. The walks of its rules judge a mutant. A variant is judged by the walks in which it
// may differ from our deployment.

/** State shared by the threads of a self-test. */
export interface Assigned {
  /** The specimens to judge, in order. */
  readonly names: ReadonlyArray<string>
  /** The number of specimens taken by all threads. */
  readonly taken: SharedArrayBuffer
}

/** The findings of a thread about a specimen. */
export interface Found {
  readonly name: string
  readonly findings: ReadonlyArray<Finding>
  /** Only for our unchanged deployment, which decides which places exist. */
  readonly profile?: Profile
}

/** Specimens judged at a time in one thread, because they also wait for deliveries and limits. */
const concurrency = 4

// refused calls create many errors, and their stack traces are never used
Error.stackTraceLimit = 0

const { names, taken }: Assigned = workerData
const mutantsByName = new Map(mutants.map((mutant) => [mutant.name, mutant]))
const variantsByName = new Map(variants.map((variant) => [variant.name, variant]))

const nextName = Effect.sync(() => names[Atomics.add(new Int32Array(taken), 0, 1)])

const judging = Effect.gen(function* () {
  const start = yield* Specimens.make

  const ofMutant = Effect.fnUntraced(function* (mutant: Mutant) {
    const rules = rulesFor(mutant)
    return findingsOf(yield* judge(yield* start(mutant, exhausts(rules)), rules))
  }, Effect.scoped)

  const onOurs = Effect.gen(function* () {
    const target = yield* start(ours, true)
    const events = yield* judge(target)
    return { findings: findingsOf(events), profile: target.profile, recording: recordingOf(events, target.profile) }
  }).pipe(Effect.scoped)
  // once for all variants of this thread
  const ofOurs = yield* Effect.cached(onOurs)

  const ofVariant = Effect.fnUntraced(function* (variant: Specimen) {
    const { known, walks } = yield* differing(variant, (yield* ofOurs).recording)
    return findingsOf(yield* judgeBy(yield* start(variant, true), walks, known))
  }, Effect.scoped)

  const examine = (name: string) => {
    const [mutant, variant] = [mutantsByName.get(name), variantsByName.get(name)]
    const found = (findings: ReadonlyArray<Finding>): Found => ({ name, findings })
    if (mutant !== undefined) return Effect.map(ofMutant(mutant), found)
    if (variant !== undefined) return Effect.map(ofVariant(variant), found)
    return name === ours.name
      ? Effect.map(ofOurs, ({ findings, profile }): Found => ({ name, findings, profile }))
      : Effect.die(new Error(`unknown specimen: ${name}`))
  }

  const tell = Effect.fnUntraced(function* (name: string) {
    parentPort?.postMessage(yield* examine(name))
  })

  const lane = Effect.gen(function* () {
    const waiting: Array<Fiber.Fiber<void>> = []
    for (let name = yield* nextName; name !== undefined; name = yield* nextName) {
      const mutant = mutantsByName.get(name)
      // a specimen that mostly waits uses no processor time, so it does not count towards `concurrency`
      if (mutant !== undefined && isSeenByWaiting(mutant)) waiting.push(yield* Effect.forkChild(tell(name)))
      else yield* tell(name)
    }
    yield* Fiber.joinAll(waiting)
  })
  yield* Effect.all(Arr.replicate(lane, concurrency), { concurrency, discard: true })
})

await judging.pipe(
  Effect.scoped,
  // the worker's warnings about unreachable webhooks are expected
  Effect.provideService(References.MinimumLogLevel, "Error"),
  Effect.runPromise
)
