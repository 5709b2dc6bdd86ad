import { Ids } from "@wcs/domain/shared/Id"
import type { Instant } from "@wcs/domain/shared/Instant"
import { deliveryDue, deliverySought, Notifications, settled } from "@wcs/domain/shared/Notifications"
import { type ClaimedDelivery, DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import type { Lease } from "@wcs/domain/webhook/Lease"
import * as WebhookHealth from "@wcs/domain/webhook/WebhookHealth"
import { Clock, Effect, Exit, Fiber, Latch, Option } from "effect"
import * as Attempting from "./Attempting.ts"
import { EngineSettings } from "./EngineSettings.ts"
import * as GivingUp from "./GivingUp.ts"
import * as Leases from "./Leases.ts"
import * as Loop from "./Loop.ts"
import * as Measures from "./Measures.ts"

type Ended = Attempting.Ended

/** What the loop works with, and its state. */
interface Worker {
  readonly settings: typeof EngineSettings.Service
  readonly store: DeliveryStore["Service"]
  readonly notifications: Notifications["Service"]
  readonly givingUp: Effect.Success<typeof GivingUp.make>
  readonly attempt: Effect.Success<ReturnType<typeof Attempting.make>>
  readonly clock: Clock.Clock
  readonly runFork: ReturnType<typeof Effect.runForkWith<never>>
  /** Identifies this worker in leases. */
  readonly holder: string
  readonly leases: Leases.Leases
  readonly inFlight: Map<ClaimedDelivery, Fiber.Fiber<Ended>>
  readonly ended: Array<Ended>
  readonly wake: Latch.Latch
  isGathering: boolean
  /** After releasing webhooks for another worker, acquires no leases before this time. */
  restsUntil: Instant
  /** Does not ask other workers for webhooks before this time. */
  seeksAgainAt: Instant
  isAbandoned: boolean
  /** Attempts that ended since the last claim. */
  endedSinceClaim: number
}

/** When results must be stored at the latest. The result of a ping is stored without delay. */
const writeBy = ({ ended, settings }: Worker): Instant =>
  ended.reduce(
    (earliest, { claimed, endedAt }) =>
      Math.min(earliest, Attempting.isTrial(claimed) ? endedAt : endedAt + settings.gatherMillis),
    Number.POSITIVE_INFINITY
  )

/** Whether enough places are free for a claim. */
const isWorthAClaim = ({ endedSinceClaim, inFlight, settings }: Worker) =>
  endedSinceClaim >= Math.min(inFlight.size, settings.portion)

/** Whether to store results now: when a batch is full, nothing more is in flight, or the deadline is reached. */
const isWorthWriting = (worker: Worker, now: Instant) =>
  worker.ended.length >= worker.settings.portion || worker.inFlight.size === 0 || now >= writeBy(worker)

/** Wakes the loop when enough results are there, or after a delay, so that fast receivers do not wait for slow ones. */
const gather = (worker: Worker): void => {
  const { ended, runFork, settings, wake } = worker
  if (isWorthAClaim(worker) || ended.length >= settings.portion) wake.openUnsafe()
  else if (!worker.isGathering) {
    worker.isGathering = true
    runFork(
      Effect.andThen(Effect.sleep(settings.fillMillis), () =>
        Effect.sync(() => {
          worker.isGathering = false
          wake.openUnsafe()
        })
      )
    )
  }
}

const note = ({ ended, wake }: Worker, one: Ended): void => {
  ended.push(one)
  if (Attempting.isTrial(one.claimed)) wake.openUnsafe()
}

const onExit = (worker: Worker, claimed: ClaimedDelivery, exit: Exit.Exit<Ended>): void => {
  worker.inFlight.delete(claimed)
  worker.leases.attemptEnded(claimed)
  worker.endedSinceClaim += 1
  if (Exit.isSuccess(exit)) note(worker, exit.value)
  gather(worker)
}

const begin = (worker: Worker, claimed: ClaimedDelivery): void => {
  const taker = Attempting.takerOf(claimed)
  if (Option.isNone(taker)) {
    worker.leases.attemptEnded(claimed)
    note(worker, Attempting.skip(claimed, worker.clock.currentTimeMillisUnsafe()))
    return
  }
  const fiber = worker.runFork(worker.attempt(claimed, taker.value))
  worker.inFlight.set(claimed, fiber)
  fiber.addObserver((exit) => onExit(worker, claimed, exit))
}

/** Stores results, and notes which webhooks to disable. */
const write = Effect.fnUntraced(function* (worker: Worker, portion: ReadonlyArray<Ended>, now: Instant) {
  const { ended, givingUp, leases, notifications, store } = worker
  const assessed = yield* store.settle(portion, (health, succeeded) =>
    WebhookHealth.afterAttempt(health, succeeded, now)
  )
  ended.splice(0, portion.length)
  for (const { claimed } of portion) leases.settled(claimed)
  for (const { health, tenantId, webhookId } of assessed) {
    if (WebhookHealth.isGivenUp(health, now)) givingUp.note(tenantId, webhookId, { _tag: "GivenUp" })
  }
  for (const { askedAt, claimed, delivery, isGone } of portion) {
    if (Attempting.isTrial(claimed)) yield* notifications.notify(settled(delivery.id))
    if (isGone) givingUp.note(delivery.tenantId, delivery.webhookId, { _tag: "Gone", askedAt, storedAt: now })
  }
  yield* Measures.ended(portion.map(({ outcome }) => outcome))
})

/**
 * Stores a batch of results when worthwhile, and disables webhooks that are due. Returns how long to wait for more
 * work; 0 after a write, because a concurrent claim still counted the results as unsettled.
 */
const settle = Effect.fnUntraced(function* (worker: Worker, isStopping: boolean) {
  const now = yield* Clock.currentTimeMillis
  const portion = isStopping || isWorthWriting(worker, now) ? worker.ended.slice(0, worker.settings.portion) : []
  if (portion.length > 0) yield* write(worker, portion, now)
  const waitMillis = yield* worker.givingUp.disableDue
  return portion.length > 0 ? 0 : waitMillis
})

/** Releases webhooks when another worker asks for some, unless this worker has just asked for webhooks too. */
const share = (worker: Worker) =>
  Effect.gen(function* () {
    yield* yield* worker.notifications.listen(deliverySought)
    if ((yield* Clock.currentTimeMillis) >= worker.seeksAgainAt) worker.leases.share()
  })

/** Asks other workers to release webhooks. */
const seek = Effect.fnUntraced(function* (worker: Worker, now: Instant) {
  if (now < worker.seeksAgainAt) return
  worker.seeksAgainAt = now + worker.settings.seekMillis
  yield* worker.notifications.notify(deliverySought)
})

/**
 * Claims as many deliveries as there is room for, renews leases with unsettled deliveries and releases the others.
 * Returns how long to wait.
 */
const claim = Effect.fnUntraced(function* (worker: Worker, own: ReadonlyArray<Lease>, limit: number) {
  const now = yield* Clock.currentTimeMillis
  const { holder, inFlight, leases, notifications, settings, store } = worker
  const { attemptsPerWebhook, webhookLeaseMillis, pollMillis, restMillis } = settings
  const releasesForOthers = leases.releasesForOthers(own)
  if (releasesForOthers) worker.restsUntil = now + restMillis
  const acquires = limit > 0 && now >= worker.restsUntil
  const { claimed, isLeasedByOthers, nextDueAt } = yield* store.claim({
    now,
    holder,
    leaseMillis: webhookLeaseMillis,
    leases: own,
    limit,
    perWebhook: attemptsPerWebhook,
    acquires
  })
  leases.claimed(own, claimed, claimed.length === limit, now)
  for (const one of claimed) begin(worker, one)
  yield* Measures.taken(claimed, now)
  yield* Measures.inFlight(inFlight.size)
  if (releasesForOthers) yield* notifications.notify(deliveryDue)
  if (isLeasedByOthers && acquires) yield* seek(worker, now)
  const renewMillis = leases.size > 0 ? webhookLeaseMillis / 4 : Number.POSITIVE_INFINITY
  if (limit === 0) return Math.min(pollMillis, renewMillis)
  return claimed.length === limit ? 0 : Math.min(Loop.untilDue(nextDueAt, now), renewMillis)
})

/**
 * Settles and claims concurrently, settling first, so that both transactions can share a commit. Neither interrupts the
 * other: an interrupted claim would lose its deliveries until the leases expire.
 */
const settleAndClaim = Effect.fnUntraced(function* (worker: Worker) {
  const own = worker.leases.all()
  const limit = Math.max(0, worker.settings.attemptsMax - worker.inFlight.size - worker.ended.length)
  worker.endedSinceClaim = 0
  const both = [Effect.exit(settle(worker, false)), Effect.exit(claim(worker, own, limit))] as const
  const [written, waitMillis] = yield* Effect.all(both, { concurrency: 2 })
  return Math.min(yield* written, yield* waitMillis)
})

/** Releases the webhooks without unsettled deliveries, and notifies other workers. */
const releaseIdle = (worker: Worker) =>
  Effect.suspend(() => Effect.tap(claim(worker, worker.leases.all(), 0), worker.notifications.notify(deliveryDue)))

const round = Effect.fnUntraced(function* (worker: Worker, isStopping: boolean) {
  const waitMillis = yield* isStopping
    ? Effect.andThen(settle(worker, true), releaseIdle(worker))
    : settleAndClaim(worker)
  const now = yield* Clock.currentTimeMillis
  return worker.ended.length > 0 && isWorthWriting(worker, now) ? 0 : Math.min(waitMillis, writeBy(worker) - now)
})

/** Interrupts the attempts in flight, stores the results there are and releases all webhooks. */
const abandon = Effect.fnUntraced(function* (worker: Worker) {
  const { ended, inFlight, leases } = worker
  worker.isAbandoned = true
  const interrupted = [...inFlight.keys()]
  yield* Fiber.interruptAll([...inFlight.values()])
  const settled = yield* Effect.exit(
    Effect.whileLoop({ while: () => ended.length > 0, body: () => settle(worker, true), step: () => undefined })
  )
  for (const claimed of [...interrupted, ...ended.map(({ claimed }) => claimed)]) leases.settled(claimed)
  yield* releaseIdle(worker)
  yield* settled
})

/**
 * Attempts the due deliveries of the webhooks that this worker leases. Claims deliveries and stores results in batches;
 * each attempt is one fiber. Only this process knows what is in flight: after a crash other workers repeat it when the
 * leases expire.
 */
export const start = Effect.gen(function* () {
  const settings = yield* EngineSettings
  const ids = yield* Ids
  const worker: Worker = {
    settings,
    store: yield* DeliveryStore,
    notifications: yield* Notifications,
    givingUp: yield* GivingUp.make,
    attempt: yield* Attempting.make(() => worker.isAbandoned),
    clock: yield* Clock.Clock,
    runFork: Effect.runForkWith(yield* Effect.context()),
    holder: yield* ids.ulid,
    leases: Leases.make(settings.attemptsPerWebhook),
    inFlight: new Map(),
    ended: [],
    wake: Latch.makeUnsafe(true),
    isGathering: false,
    restsUntil: 0,
    seeksAgainAt: 0,
    isAbandoned: false,
    endedSinceClaim: 0
  }
  const { ended, inFlight, leases, wake } = worker
  yield* Effect.forkScoped(Loop.forEver("deliver", share(worker)))
  yield* Loop.start({
    name: "deliver",
    topic: deliveryDue,
    wake,
    round: (isStopping) => round(worker, isStopping),
    isIdle: () => inFlight.size === 0 && ended.length === 0 && leases.size === 0,
    abandon: abandon(worker)
  })
  return wake
})
