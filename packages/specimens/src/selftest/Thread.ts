import { parentPort, workerData } from "node:worker_threads"
import type { Finding } from "@wcs/conformance/judgement/Finding"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { Array as Arr, Effect, Fiber, References } from "effect"
import type { Mutant } from "../Mutant.ts"
import { mutants } from "../Mutants.ts"
import { ours } from "../Specimen.ts"
import * as Specimens from "../Specimens.ts"
import type { Variant } from "../Variant.ts"
import { variants } from "../Variants.ts"
import { exhausts, findingsOf, judge } from "./Judging.ts"
import { isSeenByWaiting, rulesFor } from "./Matrix.ts"
import { noticing } from "./Noticing.ts"
import { combined } from "./Together.ts"

// A thread of the self-test, started by `Threads.ts`. It judges the next free specimens until none are left. Every walk
// judges our unchanged deployment and the variants. The walks of its rules judge a mutant.

/** State shared by the threads of a self-test. */
export interface Assigned {
  /** The names of the specimens to judge, in order. Variants that are judged together stand in one list. */
  readonly jobs: ReadonlyArray<ReadonlyArray<string>>
  /** The number of jobs taken by all threads. */
  readonly taken: SharedArrayBuffer
}

/** The findings of a thread about a job. */
export interface Found {
  readonly job: ReadonlyArray<string>
  readonly findings: ReadonlyArray<Finding>
  /** The variants whose changes had no effect. */
  readonly idle: ReadonlyArray<string>
  /** Only for our unchanged deployment, which decides which places exist. */
  readonly profile?: Profile
}

/** Specimens judged at a time in one thread, because they also wait for deliveries and limits. */
const concurrency = 4

// refused calls create many errors, and their stack traces are never used
Error.stackTraceLimit = 0

const { jobs, taken }: Assigned = workerData
const mutantsByName = new Map(mutants.map((mutant) => [mutant.name, mutant]))
const variantsByName = new Map(variants.map((variant) => [variant.name, variant]))

const nextJob = Effect.sync(() => jobs[Atomics.add(new Int32Array(taken), 0, 1)])

const judging = Effect.gen(function* () {
  const start = yield* Specimens.make

  const ofMutant = Effect.fnUntraced(function* (mutant: Mutant) {
    const rules = rulesFor(mutant)
    return findingsOf(yield* judge(yield* start(mutant, exhausts(rules)), rules))
  }, Effect.scoped)

  const ofOurs = Effect.gen(function* () {
    const target = yield* start(ours, true)
    return { findings: findingsOf(yield* judge(target)), profile: target.profile, idle: [] }
  }).pipe(Effect.scoped)

  const ofVariants = Effect.fnUntraced(function* (members: ReadonlyArray<Variant>) {
    const { idle, specimens } = noticing(members)
    const findings = findingsOf(yield* judge(yield* start(combined(specimens), true)))
    return { findings, idle: idle() }
  }, Effect.scoped)

  const examine = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
    const members = names.flatMap((name) => variantsByName.get(name) ?? [])
    if (members.length > 0) return yield* ofVariants(members)
    const [name = ""] = names
    const mutant = mutantsByName.get(name)
    if (mutant !== undefined) return { findings: yield* ofMutant(mutant), idle: [] }
    if (name === ours.name) return yield* ofOurs
    return yield* Effect.die(new Error(`unknown specimen: ${name}`))
  })

  const tell = Effect.fnUntraced(function* (job: ReadonlyArray<string>) {
    const found: Found = { job, ...(yield* examine(job)) }
    parentPort?.postMessage(found)
  })

  const mostlyWaits = (names: ReadonlyArray<string>): boolean =>
    names.some((name) => {
      const mutant = mutantsByName.get(name)
      return mutant !== undefined && isSeenByWaiting(mutant)
    })

  const lane = Effect.gen(function* () {
    const waiting: Array<Fiber.Fiber<void>> = []
    for (let job = yield* nextJob; job !== undefined; job = yield* nextJob) {
      // a specimen that mostly waits uses no processor time, so it does not count towards `concurrency`
      if (mostlyWaits(job)) waiting.push(yield* Effect.forkChild(tell(job)))
      else yield* tell(job)
    }
    yield* Fiber.joinAll(waiting)
  })
  yield* Effect.all(Arr.replicate(lane, concurrency), { concurrency, discard: true })
})

await judging.pipe(
  Effect.scoped,
  // Warnings are expected, such as those about unreachable webhooks and refused logins. A failed request is an error.
  Effect.provideService(References.MinimumLogLevel, "Error"),
  Effect.runPromise
)
