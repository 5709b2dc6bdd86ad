import { Ids } from "@wcs/domain/shared/Id"
import { deliveryDue, Notices } from "@wcs/domain/shared/Notices"
import { DeliverySettings } from "@wcs/domain/webhook/DeliverySchedule"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import {
  asideUntil,
  fanOut,
  isOutlived,
  nextPortion,
  type SetAside,
  type WaitingEvent
} from "@wcs/domain/webhook/FanOut"
import { StoreAway } from "@wcs/domain/webhook/StoreAway"
import { Array as Arr, Cause, Clock, Effect, Exit, Latch } from "effect"
import { EngineSettings } from "./EngineSettings.ts"
import * as Loop from "./Loop.ts"
import * as Measures from "./Measures.ts"

/** How often in a row an event dies that is taken alone, before it is the event that is to blame, and not the store. */
const deathsMax = 3

/** The same where it was said to be the store each time: the event is to blame that no store can send in time. */
const awaysMax = 10

/** How many ids of events the log has of one fault: the store has them all. */
const eventsTold = 10

/** Tells of a fault once, whichever events of a tenant's it keeps back. */
const told = (fault: string, setAside: readonly [SetAside, ...ReadonlyArray<SetAside>]) =>
  Effect.logError("Events could not be sent to all whom they concern, and are set aside.", fault).pipe(
    Effect.annotateLogs({
      tenantId: setAside[0].tenantId,
      count: setAside.length,
      eventIds: setAside.slice(0, eventsTold).map(({ eventId }) => eventId),
      until: Math.min(...setAside.map(({ until }) => until))
    })
  )

/** Makes deliveries of events, and wakes whoever attempts them. */
export const start = Effect.fnUntraced(function* (delivering: Latch.Latch) {
  const { pollMillis, portion } = yield* EngineSettings
  const { retentionMillis } = yield* DeliverySettings
  const store = yield* DeliveryStore
  const notices = yield* Notices
  const mint = (yield* Ids).source("delivery")
  /** How many are taken at once. */
  let limit = portion
  /** The event that died alone, and how often in a row. */
  let dead: { readonly event: WaitingEvent | undefined; readonly times: number } = { event: undefined, times: 0 }

  const tell = Effect.fnUntraced(function* (setAside: ReadonlyArray<SetAside>) {
    if (setAside.length === 0) return
    yield* Measures.setAside(setAside.length)
    for (const ofTenant of Map.groupBy(setAside, ({ tenantId }) => tenantId).values()) {
      const byFault = Arr.groupBy(ofTenant, ({ fault }) => Cause.pretty(Cause.die(fault)))
      for (const [fault, all] of Object.entries(byFault)) yield* told(fault, all)
    }
  })

  /**
   * Half of them are tried, at once where the store is not to blame. One that dies alone is tried some times more, and
   * then keeps the others no longer, if the store writes that down: one that does is not away.
   */
  const survive = Effect.fnUntraced(function* (
    cause: Cause.Cause<never>,
    event: WaitingEvent | undefined,
    now: number
  ) {
    if (Cause.hasInterruptsOnly(cause)) return yield* Effect.failCause(cause)
    const isAway = Cause.squash(cause) instanceof StoreAway
    const wasAlone = limit === 1
    limit = nextPortion(limit, portion, false)
    if (!wasAlone) {
      if (isAway) return yield* Effect.failCause(cause)
      yield* Effect.logWarning("Events could not be sent together; half of them are tried.", Cause.pretty(cause))
      return 0
    }
    dead = { event, times: event !== undefined && event.id === dead.event?.id ? dead.times + 1 : 1 }
    const isSpared = dead.times < (isAway ? awaysMax : deathsMax)
    if (event === undefined || isSpared) return yield* Effect.failCause(cause)
    const { at, id: eventId, tenantId } = event
    const until = asideUntil(at, now, retentionMillis)
    yield* store.setAside(tenantId, eventId, until)
    yield* tell([{ tenantId, eventId, until, fault: Cause.squash(cause) }])
    return 0
  })

  const round = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const taking = limit
    let last: WaitingEvent | undefined
    const request = { now, limit: taking, asideUntil: (at: number) => asideUntil(at, now, retentionMillis) }
    const sent = yield* Effect.exit(
      store.fanOut(request, (event, subscribers) => {
        last = event
        if (isOutlived(event, now, retentionMillis)) throw new Error("it was taken again too late, and is sent no more")
        return fanOut(event, subscribers, mint, now)
      })
    )
    if (Exit.isFailure(sent)) return yield* survive(sent.cause, last, now)
    const { setAside, taken } = sent.value
    limit = nextPortion(taking, portion, true)
    yield* tell(setAside)
    if (taken > 0) delivering.openUnsafe()
    if (taken < taking) return pollMillis
    yield* notices.tell(deliveryDue) // there is enough to do for others, too
    return 0
  })

  yield* Loop.start({
    name: "fan out",
    topic: deliveryDue,
    word: Latch.makeUnsafe(true),
    round: (isStopping) => (isStopping ? Effect.succeed(pollMillis) : round),
    isIdle: () => true,
    abandon: Effect.void
  })
})
