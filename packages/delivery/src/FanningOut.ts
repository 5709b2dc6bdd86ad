import { Ids } from "@wcs/domain/shared/Id"
import { deliveryDue, Notifications } from "@wcs/domain/shared/Notifications"
import { DeliverySettings } from "@wcs/domain/webhook/DeliverySchedule"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import {
  type FailedEvent,
  fanOut,
  isRetryTooLate,
  nextPortion,
  retryAt,
  type WaitingEvent
} from "@wcs/domain/webhook/FanOut"
import { StoreUnavailable } from "@wcs/domain/webhook/StoreUnavailable"
import { Array as Arr, Cause, Clock, Effect, Exit, Latch } from "effect"
import { EngineSettings } from "./EngineSettings.ts"
import * as Loop from "./Loop.ts"
import * as Measures from "./Measures.ts"
import * as EventSpans from "./telemetry/EventSpans.ts"

/** Consecutive failures of a single event before it becomes a dead letter. */
const deathsMax = 3

/** The same limit if each failure was `StoreUnavailable`. The event probably always exceeds the statement timeout. */
const unavailableMax = 10

/** The maximum number of event ids in one log line. The store has all of them. */
const eventsTold = 10

/** Logs a fault once for all affected events of a tenant. */
const logFault = (fault: string, deadLettered: readonly [FailedEvent, ...ReadonlyArray<FailedEvent>]) => {
  const retries = deadLettered.flatMap(({ until }) => until ?? [])
  return Effect.logError("Events could not be sent to all subscribers and are now dead letters.", fault).pipe(
    Effect.annotateLogs({
      tenantId: deadLettered[0].tenantId,
      count: deadLettered.length,
      eventIds: deadLettered.slice(0, eventsTold).map(({ eventId }) => eventId),
      until: retries.length === 0 ? null : Math.min(...retries)
    })
  )
}

/** Creates the deliveries of events, and wakes the loop that attempts them. */
export const start = Effect.fnUntraced(function* (delivering: Latch.Latch) {
  const { pollMillis, portion } = yield* EngineSettings
  const { retentionMillis } = yield* DeliverySettings
  const store = yield* DeliveryStore
  const notifications = yield* Notifications
  const mint = (yield* Ids).source("delivery")
  const beginSpans = yield* EventSpans.make
  /** The current batch size. */
  let limit = portion
  /** The last event that failed alone, and how often in a row. */
  let dead: { readonly event: WaitingEvent | undefined; readonly times: number } = { event: undefined, times: 0 }

  const report = Effect.fnUntraced(function* (deadLettered: ReadonlyArray<FailedEvent>) {
    if (deadLettered.length === 0) return
    yield* Measures.deadLettered(deadLettered.length)
    for (const ofTenant of Map.groupBy(deadLettered, ({ tenantId }) => tenantId).values()) {
      const byFault = Arr.groupBy(ofTenant, ({ fault }) => Cause.pretty(Cause.die(fault)))
      for (const [fault, all] of Object.entries(byFault)) yield* logFault(fault, all)
    }
  })

  /**
   * Halves the batch after a failure, and retries without delay unless the store is unavailable. An event that fails
   * alone several times becomes a dead letter.
   */
  const survive = Effect.fnUntraced(function* (
    cause: Cause.Cause<never>,
    event: WaitingEvent | undefined,
    now: number
  ) {
    if (Cause.hasInterruptsOnly(cause)) return yield* Effect.failCause(cause)
    const isUnavailable = Cause.squash(cause) instanceof StoreUnavailable
    const wasAlone = limit === 1
    limit = nextPortion(limit, portion, false)
    if (!wasAlone) {
      if (isUnavailable) return yield* Effect.failCause(cause)
      yield* Effect.logWarning("Sending a batch of events failed. Half of them are tried next.", Cause.pretty(cause))
      return 0
    }
    dead = { event, times: event !== undefined && event.id === dead.event?.id ? dead.times + 1 : 1 }
    const isSpared = dead.times < (isUnavailable ? unavailableMax : deathsMax)
    if (event === undefined || isSpared) return yield* Effect.failCause(cause)
    const { at, id: eventId, tenantId } = event
    const until = retryAt(at, now, retentionMillis)
    yield* store.deadLetter(tenantId, eventId, until)
    yield* report([{ tenantId, eventId, until, fault: Cause.squash(cause) }])
    return 0
  })

  const round = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const taking = limit
    let last: WaitingEvent | undefined
    const spans = beginSpans()
    const request = { now, limit: taking, retryAt: (at: number) => retryAt(at, now, retentionMillis) }
    const sent = yield* Effect.exit(
      store.fanOut(request, (event, subscribers) => {
        last = event
        if (isRetryTooLate(event, now, retentionMillis))
          throw new Error("the event is older than the retention period of deliveries and is not sent")
        return fanOut(spans.begin(event), subscribers, mint, now)
      })
    )
    spans.end(sent)
    if (Exit.isFailure(sent)) return yield* survive(sent.cause, last, now)
    const { deadLettered, taken } = sent.value
    limit = nextPortion(taking, portion, true)
    yield* report(deadLettered)
    if (taken > 0) delivering.openUnsafe()
    if (taken < taking) return pollMillis
    yield* notifications.notify(deliveryDue) // other workers can help
    return 0
  })

  yield* Loop.start({
    name: "fan out",
    topic: deliveryDue,
    wake: Latch.makeUnsafe(true),
    round: (isStopping) => (isStopping ? Effect.succeed(pollMillis) : round),
    isIdle: () => true,
    abandon: Effect.void
  })
})
