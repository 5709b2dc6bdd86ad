import { type Backlog, BacklogStore } from "@wcs/domain/webhook/BacklogStore"
import { Clock, Effect, Metric } from "effect"
import { version } from "../Version.ts"

const waitingEvents = Metric.gauge("events_waiting", {
  description:
    "Events without deliveries, by state. Retrying and dead ones are dead letters. 10000 means 10000 or more."
})
const waitingDeliveries = Metric.gauge("deliveries_waiting", {
  description: "Open deliveries that are due now or later. 10000 means 10000 or more."
})
const waitingRuns = Metric.gauge("verification_runs_waiting", {
  description:
    "Open verifications that are due now or later, or wait for a person. 10000 means 10000 or more. Those for a person are counted among the first 10000 only."
})
const failingWebhooks = Metric.gauge("webhooks_failing", {
  description: "Active webhooks whose last attempt failed. 10000 means 10000 or more."
})
const failingSeconds = Metric.gauge("webhooks_failing_seconds", {
  description: "Seconds since the first of the failing webhooks began to fail; 0 without one."
})
const build = Metric.withAttributes(
  Metric.gauge("build_info", { description: "The version of this program. Always 1." }),
  { version, node: process.versions.node }
)
const memory = Metric.gauge("process_resident_memory_bytes", { description: "Resident memory of this process." })
const startTime = Metric.gauge("process_start_time_seconds", {
  description: "When this process started, in Unix seconds."
})
const processorSeconds = Metric.counter("process_cpu_seconds_total", {
  description: "User and system time of this process.",
  incremental: true
})
const loopUtilization = Metric.gauge("event_loop_utilization_ratio", {
  description: "Share of the time since the last scrape in which the event loop was busy, from 0 to 1."
})

/** Measured values are reused for this time, so that frequent scrapes cost little. */
const freshMillis = 1_000

/** How long a scrape waits for the store. */
const readMillis = 2_000

const setAll = Effect.fnUntraced(function* (
  { deliveries, events, failingSince, failingWebhooks: failing, runs }: Backlog,
  now: number
) {
  for (const [gauge, label, counts] of [
    [waitingEvents, "state", events],
    [waitingDeliveries, "due", { now: deliveries.due, later: deliveries.later }],
    [waitingRuns, "due", { now: runs.due, later: runs.later, review: runs.review }]
  ] as const) {
    for (const [value, count] of Object.entries<number>(counts)) {
      yield* Metric.update(Metric.withAttributes(gauge, { [label]: value }), count)
    }
  }
  yield* Metric.update(failingWebhooks, failing)
  yield* Metric.update(failingSeconds, failingSince === null ? 0 : Math.max(0, now - failingSince) / 1000)
})

/** Sets the gauges of the process. */
const makeProcess = Effect.sync(() => {
  let processor = { user: 0, system: 0 }
  let loop = performance.eventLoopUtilization()
  return Effect.gen(function* () {
    const { system, user } = process.cpuUsage()
    yield* Metric.update(processorSeconds, (system + user - processor.system - processor.user) / 1e6)
    processor = { system, user }
    const now = performance.eventLoopUtilization()
    yield* Metric.update(loopUtilization, performance.eventLoopUtilization(now, loop).utilization)
    loop = now
    yield* Metric.update(memory, process.memoryUsage.rss())
    yield* Metric.update(startTime, performance.timeOrigin / 1000)
    yield* Metric.update(build, 1)
  })
})

/**
 * Returns the effect that sets the gauges: the backlog of the store, and the figures of the process. While the store is
 * unavailable, the last numbers of the backlog stay.
 */
export const make = Effect.gen(function* () {
  const store = yield* BacklogStore
  const process = yield* makeProcess
  const backlog = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    yield* setAll(yield* store.read(now), now)
  }).pipe(
    Effect.timeoutOption(readMillis),
    Effect.catchCause((cause) => Effect.logDebug("The backlog could not be measured.", cause))
  )
  return yield* Effect.cachedWithTTL(Effect.andThen(process, backlog), freshMillis)
})
