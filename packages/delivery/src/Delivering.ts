import * as WebhookHealth from "@wcs/domain/event/WebhookHealth"
import type { Instant } from "@wcs/domain/shared/Instant"
import { deliveryDue, Notifications, settled, webhooksChanged } from "@wcs/domain/shared/Notifications"
import { latestFailure } from "@wcs/domain/webhook/Delivery"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { Clock, Effect, Exit, Fiber, Latch, Option } from "effect"
import * as Attempting from "./Attempting.ts"
import { EngineSettings } from "./EngineSettings.ts"
import * as GivingUp from "./GivingUp.ts"
import * as Loop from "./Loop.ts"
import * as Leases from "./lease/Leases.ts"
import * as Measures from "./Measures.ts"
import { Queues } from "./Queues.ts"

type Ended = Attempting.Ended

/** The longest time that a result waits for others, so that they are stored together. In milliseconds. */
const gatherMillis = 50

/** The shortest time between two changes of webhooks that the loop follows, so that changes of one tenant cost little. */
const expiryMillis = 50

/** The services of the loop, and its state. */
interface Worker {
  readonly settings: typeof EngineSettings.Service
  readonly store: DeliveryStore["Service"]
  readonly notifications: Notifications["Service"]
  readonly givingUp: Effect.Success<typeof GivingUp.make>
  readonly attempt: Effect.Success<ReturnType<typeof Attempting.make>>
  readonly clock: Clock.Clock
  readonly runFork: ReturnType<typeof Effect.runForkWith<never>>
  readonly leases: Leases.Leases
  readonly queues: Queues
  readonly inFlight: Map<Attempting.ClaimedDelivery, Fiber.Fiber<Ended>>
  readonly ended: Array<Ended>
  readonly wake: Latch.Latch
  /** Whether attempts are being started now, or no more may start. */
  isStarting: boolean
  isStopping: boolean
  isAbandoned: boolean
  /** The last read may have left due webhooks behind. */
  isLimited: boolean
  /** The longest wait of a new delivery since the last round, in milliseconds. */
  waitedMillis: number
}

/** When results must be stored at the latest. The result of a ping is stored without delay. */
const writeBy = ({ ended }: Worker): Instant =>
  ended.reduce(
    (earliest, { before, endedAt }) =>
      Math.min(earliest, Attempting.isTrial(before) ? endedAt : endedAt + gatherMillis),
    Number.POSITIVE_INFINITY
  )

/**
 * Whether to store results now: a batch is full, nothing more is in flight, or the deadline is reached. Also if the
 * clock was set back, because the deadline would move with it.
 */
const isWorthWriting = (worker: Worker, now: Instant) =>
  worker.ended.length >= worker.settings.portion ||
  worker.inFlight.size === 0 ||
  now >= writeBy(worker) ||
  worker.ended.some(({ endedAt }) => now < endedAt)

/** Keeps a result. Wakes the loop to store it: now if it is worth that, or when the first one has waited. */
const note = ({ ended, inFlight, runFork, settings, wake }: Worker, one: Ended): void => {
  ended.push(one)
  const isFull = ended.length >= settings.portion || inFlight.size === 0
  if (isFull || Attempting.isTrial(one.before)) wake.openUnsafe()
  else if (ended.length === 1) runFork(Effect.andThen(Effect.sleep(gatherMillis), wake.open))
}

const begin = (worker: Worker, claimed: Attempting.ClaimedDelivery, now: Instant): void => {
  const { inFlight, queues, runFork } = worker
  const { attemptCount, createdAt } = claimed.delivery
  if (attemptCount === 0) worker.waitedMillis = Math.max(worker.waitedMillis, now - createdAt)
  const taker = Attempting.takerOf(claimed)
  if (Option.isNone(taker)) {
    queues.attemptEnded(claimed.delivery)
    note(worker, Attempting.skip(claimed, now))
    return
  }
  const fiber = runFork(worker.attempt(claimed, taker.value))
  inFlight.set(claimed, fiber)
  fiber.addObserver((exit) => {
    inFlight.delete(claimed)
    queues.attemptEnded(claimed.delivery)
    startMore(worker)
    if (Exit.isSuccess(exit)) note(worker, exit.value)
  })
}

const hasPlace = ({ ended, inFlight, settings }: Worker): boolean => inFlight.size + ended.length < settings.attemptsMax

/**
 * Starts attempts of deliveries that were read ahead, while places are free. Wakes the loop when a read would let more
 * start. An attempt may end within its start.
 */
const startMore = (worker: Worker): void => {
  const { clock, queues, wake } = worker
  if (worker.isStarting || worker.isStopping) return
  worker.isStarting = true
  const now = clock.currentTimeMillisUnsafe()
  while (hasPlace(worker)) {
    const claimed = queues.next(now)
    if (claimed === undefined) break
    begin(worker, claimed, now)
  }
  worker.isStarting = false
  if (queues.isWanting || (worker.isLimited && hasPlace(worker))) wake.openUnsafe()
}

/** Stores results, and notes which webhooks to disable. */
const write = Effect.fnUntraced(function* (worker: Worker, portion: ReadonlyArray<Ended>, now: Instant) {
  const { ended, givingUp, leases, notifications, queues, store } = worker
  const assessed = yield* store.settle(portion, now, (health, succeeded, delivery) =>
    WebhookHealth.afterAttempt(health, succeeded ? null : latestFailure(delivery), now)
  )
  ended.splice(0, portion.length)
  for (const { before } of portion) queues.settled(before)
  leases.settled()
  for (const { health, tenantId, webhookId } of assessed) {
    if (!WebhookHealth.isGivenUp(health, now)) continue
    givingUp.note(tenantId, webhookId, { _tag: "GivenUp" })
    queues.expire()
  }
  for (const { delivery, isGone, readAt } of portion) {
    if (Attempting.isTrial(delivery)) yield* notifications.notify(settled(delivery.id))
    if (!isGone) continue
    givingUp.note(delivery.tenantId, delivery.webhookId, { _tag: "Gone", askedAt: readAt, storedAt: now })
    queues.expire()
  }
  yield* Measures.ended(portion.map(({ outcome }) => outcome))
})

/** Stores a batch of results when worthwhile, and disables webhooks that are due. Returns how long to wait. */
const settle = Effect.fnUntraced(function* (worker: Worker) {
  const now = yield* Clock.currentTimeMillis
  const { ended, isStopping, settings } = worker
  const portion = isStopping || isWorthWriting(worker, now) ? ended.slice(0, settings.portion) : []
  if (portion.length > 0) yield* write(worker, portion, now)
  return yield* worker.givingUp.disableDue
})

/** Reads due deliveries ahead, and webhooks that were not read lately. Returns how long to wait. */
const read = Effect.fnUntraced(function* (worker: Worker) {
  const { leases, queues, settings, store } = worker
  const now = yield* Clock.currentTimeMillis
  const { attemptsPerWebhook, portion } = settings
  const partitions = leases.active()
  if (partitions.length === 0) {
    worker.isLimited = false
    queues.refresh(new Map(), now, now)
    return Number.POSITIVE_INFINITY
  }
  const known = queues.known()
  const { deliveries, isLimited, nextDueAt } = yield* store.readDue({
    now,
    partitions,
    queues: known,
    limit: Math.max(1, Math.floor(portion / attemptsPerWebhook)),
    perWebhook: attemptsPerWebhook
  })
  queues.add(known, deliveries)
  const readAt = yield* Clock.currentTimeMillis
  const stale = queues.stale(readAt)
  const webhooks = stale.length === 0 ? new Map() : yield* store.webhooks(stale)
  queues.refresh(webhooks, readAt, yield* Clock.currentTimeMillis)
  worker.isLimited = isLimited
  return Loop.untilDue(nextDueAt, now)
})

/** Stores results, reads more deliveries even if that failed, and starts attempts. */
const round = Effect.fnUntraced(function* (worker: Worker, isStopping: boolean) {
  if (isStopping) {
    worker.isStopping = true
    worker.leases.leave()
  }
  const written = yield* Effect.exit(settle(worker))
  const readMillis = isStopping ? Number.POSITIVE_INFINITY : yield* read(worker)
  startMore(worker)
  yield* Measures.inFlight(worker.inFlight.size)
  if (worker.waitedMillis > 0) yield* Measures.waited(worker.waitedMillis)
  worker.waitedMillis = 0
  const now = yield* Clock.currentTimeMillis
  const disableMillis = yield* written
  return worker.ended.length > 0 && isWorthWriting(worker, now)
    ? 0
    : Math.min(readMillis, disableMillis, writeBy(worker) - now)
})

/** Interrupts the attempts in flight, and stores the results there are. */
const abandon = Effect.fnUntraced(function* (worker: Worker) {
  const { ended, inFlight } = worker
  worker.isAbandoned = true
  yield* Fiber.interruptAll([...inFlight.values()])
  yield* Effect.whileLoop({ while: () => ended.length > 0, body: () => settle(worker), step: () => undefined })
})

/**
 * Attempts the due deliveries in the partitions that this worker leases. Reads deliveries ahead and stores results in
 * batches; each attempt is one fiber. Only this process knows what is in flight: after a crash other workers repeat it
 * when the leases expire.
 */
export const start = Effect.gen(function* () {
  const settings = yield* EngineSettings
  const wake = Latch.makeUnsafe(true)
  const queues: Queues = new Queues(settings.attemptsPerWebhook, (partition) => leases.isActive(partition))
  const leases: Leases.Leases = yield* Leases.make("delivery", {
    busy: () => queues.busy(),
    changed: (isLeased) => {
      queues.retain(isLeased)
      wake.openUnsafe()
    }
  })
  const worker: Worker = {
    settings,
    store: yield* DeliveryStore,
    notifications: yield* Notifications,
    givingUp: yield* GivingUp.make,
    attempt: yield* Attempting.make(() => worker.isAbandoned),
    clock: yield* Clock.Clock,
    runFork: Effect.runForkWith(yield* Effect.context()),
    leases,
    queues,
    inFlight: new Map(),
    ended: [],
    wake,
    isStarting: false,
    isStopping: false,
    isAbandoned: false,
    isLimited: false,
    waitedMillis: 0
  }
  const changed = Latch.makeUnsafe(false)
  yield* worker.notifications.listen(webhooksChanged, changed)
  /** Expires the webhooks when one has changed. */
  const expiring = Effect.gen(function* () {
    yield* changed.await
    changed.closeUnsafe()
    queues.expire()
    yield* Effect.sleep(expiryMillis)
  })
  yield* Effect.forkScoped(Effect.forever(expiring))
  yield* Loop.start({
    name: "deliver",
    topic: deliveryDue,
    wake,
    round: (isStopping) => round(worker, isStopping),
    isIdle: () => worker.inFlight.size === 0 && worker.ended.length === 0,
    abandon: abandon(worker)
  })
  return wake
})
