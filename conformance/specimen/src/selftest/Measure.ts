import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import type { Event } from "@wcs/conformance/evidence/Event"
import type { Area, KillRate } from "@wcs/conformance/release/Counts"
import { Effect } from "effect"
import * as Hub from "../../Hub.ts"
import { findingsOf, judge } from "../../selftest/Judging.ts"
import { areaOf, faults } from "../faults/Faults.ts"
import type { Fault } from "../faults/Rows.ts"
import { start } from "../Stranger.ts"
import type { Shared } from "./MeasureThread.ts"
import { reached } from "./Reached.ts"
import type { Verdict } from "./Verdict.ts"

const thread = (shared: Shared, tell: (verdict: Verdict) => void) =>
  Effect.callback<void>((resume) => {
    const resourceLimits = { maxYoungGenerationSizeMb: 192 }
    const worker = new Worker(new URL("./MeasureThread.ts", import.meta.url), { workerData: shared, resourceLimits })
    worker.on("message", tell)
    worker.once("error", (error) => resume(Effect.die(error)))
    worker.once("exit", () => resume(Effect.void))
    return Effect.promise(() => worker.terminate())
  })

/** Judges servers with one fault each, in as many threads as there are processors. */
export const verdictsOn = Effect.fn("Measure.verdictsOn")(function* (judged: ReadonlyArray<Fault>) {
  const found = yield* reached(Hub.make(), judged)
  const names = judged.map(({ name }) => name)
  const shared: Shared = { ...found, names, taken: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT) }
  const verdicts: Array<Verdict> = []
  const one = thread(shared, (verdict) => void verdicts.push(verdict))
  const threads = Array.from({ length: Math.min(availableParallelism(), names.length) }, () => one)
  yield* Effect.all(threads, { concurrency: "unbounded", discard: true })
  return verdicts.toSorted((left, right) => names.indexOf(left.name) - names.indexOf(right.name))
})

/** The rules that fail, warn or break on the server without a fault, each with its outcome. */
export const falseAlarms = Effect.fn("Measure.falseAlarms")(function* () {
  return alarmsIn(yield* judge(yield* start(Hub.make())))
}, Effect.scoped)

/** The rules that fail, warn or break in a run, each with its outcome. */
export const alarmsIn = (events: ReadonlyArray<Event>): ReadonlyArray<string> => {
  const ill = findingsOf(events).filter(({ outcome }) =>
    ["fail", "warn", "error", "blocked", "inconclusive"].includes(outcome)
  )
  return [...new Set(ill.map(({ outcome, rule }) => `${outcome} ${rule}`))]
}

/** The rate of a measure, by area. */
export const rateOf = (verdicts: ReadonlyArray<Verdict>, alarms: ReadonlyArray<string>): KillRate => {
  const byName = new Map(verdicts.map((verdict) => [verdict.name, verdict]))
  const areas = [...Map.groupBy(faults, areaOf)].map(([area, own]): Area => {
    const survivors = own.filter(({ name }) => (byName.get(name)?.failing.length ?? 0) === 0).map(({ name }) => name)
    return { area, faults: own.length, found: own.length - survivors.length, survivors }
  })
  const total = areas.reduce((sum, { found }) => sum + found, 0)
  return {
    faults: faults.length,
    found: total,
    falseAlarms: alarms,
    areas: areas.toSorted((a, b) => (a.area < b.area ? -1 : 1))
  }
}
