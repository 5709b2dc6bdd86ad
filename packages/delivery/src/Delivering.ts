import { Ids } from "@wcs/domain/shared/Id"
import type { Instant } from "@wcs/domain/shared/Instant"
import { deliveryDue, deliverySought, Notifications, settled } from "@wcs/domain/shared/Notifications"
import {
  type AttemptResult,
  afterAttempt,
  type Delivery,
  isGone,
  isOurs,
  isTaken,
  skipped,
  takes
} from "@wcs/domain/webhook/Delivery"
import { DeliverySettings } from "@wcs/domain/webhook/DeliverySchedule"
import { type ClaimedDelivery, DeliveryStore, type Settlement } from "@wcs/domain/webhook/DeliveryStore"
import type { Lease } from "@wcs/domain/webhook/Lease"
import type { WebhookFields } from "@wcs/domain/webhook/Webhook"
import * as WebhookHealth from "@wcs/domain/webhook/WebhookHealth"
import { Cause, Clock, Effect, Exit, Fiber, Latch, Option, Random, Result } from "effect"
import { EngineSettings } from "./EngineSettings.ts"
import * as GivingUp from "./GivingUp.ts"
import * as Leases from "./Leases.ts"
import * as Loop from "./Loop.ts"
import * as Measures from "./Measures.ts"
import { Sender } from "./Sender.ts"
import { Signature } from "./Signature.ts"

/** A finished delivery whose result is not stored yet. */
interface Ended extends Settlement {
  readonly outcome: Measures.AttemptOutcome
  /** The receiver answered 410. */
  readonly isGone: boolean
  readonly askedAt: Instant
  readonly endedAt: Instant
}

/** Whether the delivery is a ping. Its caller waits, and it does not count for the webhook's health. */
const isTrial = ({ delivery }: ClaimedDelivery): boolean => delivery.kind === "webhook.test"

/** The webhook to send to, or why it cannot be read; none when it is deleted or takes no such delivery. */
const takerOf = ({ delivery, webhook }: ClaimedDelivery): Option.Option<Result.Result<WebhookFields, unknown>> =>
  Result.isFailure(webhook)
    ? Option.some(Result.fail(webhook.failure))
    : webhook.success.pipe(
        Option.filter((fields) => takes(fields, delivery.kind)),
        Option.map((fields) => Result.succeed(fields))
      )

/** The result of an attempt that could not be sent. */
const unsent: AttemptResult = { _tag: "Unanswered", fault: "INTERNAL_ERROR" }

const skip = (claimed: ClaimedDelivery, now: Instant): Ended => ({
  claimed,
  delivery: skipped(claimed.delivery),
  succeeded: null,
  outcome: "skipped",
  isGone: false,
  askedAt: now,
  endedAt: now
})

/**
 * Attempts the due deliveries of the webhooks that this worker leases. Claims deliveries and stores results in batches;
 * each attempt is one fiber. Only this process knows what is in flight: after a crash other workers repeat it when the
 * leases expire.
 */
export const start = Effect.gen(function* () {
  const settings = yield* EngineSettings
  const { retryDelaysMillis } = yield* DeliverySettings
  const store = yield* DeliveryStore
  const sender = yield* Sender
  const signature = yield* Signature
  const notifications = yield* Notifications
  const ids = yield* Ids
  const givingUp = yield* GivingUp.make
  const holder = yield* ids.ulid
  const leases = Leases.make(settings.attemptsPerWebhook)
  const clock = yield* Clock.Clock
  const runFork = Effect.runForkWith(yield* Effect.context())
  const inFlight = new Map<ClaimedDelivery, Fiber.Fiber<Ended>>()
  const ended: Array<Ended> = []
  const wake = Latch.makeUnsafe(true)
  let isGathering = false
  /** After releasing webhooks for another worker, acquires no leases before this time. */
  let restsUntil: Instant = 0
  /** Does not ask other workers for webhooks before this time. */
  let seeksAgainAt: Instant = 0
  let isAbandoned = false
  /** Attempts that ended since the last claim. */
  let endedSinceClaim = 0

  /** When results must be stored at the latest. The result of a ping is stored without delay. */
  const writeBy = (): Instant =>
    ended.reduce(
      (earliest, { claimed, endedAt }) =>
        Math.min(earliest, isTrial(claimed) ? endedAt : endedAt + settings.gatherMillis),
      Number.POSITIVE_INFINITY
    )

  /** Whether enough places are free for a claim. */
  const isWorthAClaim = () => endedSinceClaim >= Math.min(inFlight.size, settings.portion)

  /** Whether to store results now. Batches cost less, unless nothing more is in flight. */
  const isWorthWriting = (now: Instant) => ended.length >= settings.portion || inFlight.size === 0 || now >= writeBy()

  /**
   * Wakes the loop when enough results are there, or after a delay, so that fast receivers do not wait for slow ones.
   */
  const gather = (): void => {
    if (isWorthAClaim() || ended.length >= settings.portion) wake.openUnsafe()
    else if (!isGathering) {
      isGathering = true
      runFork(
        Effect.andThen(Effect.sleep(settings.fillMillis), () =>
          Effect.sync(() => {
            isGathering = false
            wake.openUnsafe()
          })
        )
      )
    }
  }

  const send = Effect.fnUntraced(function* (delivery: Delivery, webhook: Result.Result<WebhookFields, unknown>) {
    if (Result.isFailure(webhook)) return yield* Effect.die(webhook.failure)
    const { secrets, url } = webhook.success
    const body = Buffer.from(delivery.body)
    return yield* sender.send({ url, headers: yield* signature.headers(delivery, body, secrets), body })
  })

  /**
   * The result of an attempt that failed inside the service. It is retried like any other failure. Abandoned attempts
   * do not count.
   */
  const failed = ({ id, webhookId }: Delivery, cause: Cause.Cause<unknown>): Effect.Effect<AttemptResult> =>
    isAbandoned
      ? Effect.interrupt
      : Effect.logError("An attempt failed inside the service.", Cause.pretty(cause)).pipe(
          Effect.annotateLogs({ deliveryId: id, webhookId }),
          Effect.as(unsent)
        )

  const attempt = Effect.fnUntraced(function* (
    claimed: ClaimedDelivery,
    webhook: Result.Result<WebhookFields, unknown>
  ) {
    const { delivery } = claimed
    const at = yield* Clock.currentTimeMillis
    const result = yield* Effect.catchCause(send(delivery, webhook), (cause) => failed(delivery, cause))
    const now = yield* Clock.currentTimeMillis
    const times = { at, durationMillis: now - at }
    const jitter = yield* Random.next
    return {
      claimed,
      delivery: afterAttempt(delivery, result, times, retryDelaysMillis, now, jitter),
      succeeded: isTrial(claimed) || isOurs(result) ? null : isTaken(result),
      outcome: Measures.outcomeOf(result),
      isGone: isGone(result),
      askedAt: at,
      endedAt: now
    } satisfies Ended
  })

  const note = (one: Ended): void => {
    ended.push(one)
    if (isTrial(one.claimed)) wake.openUnsafe()
  }

  const onExit = (claimed: ClaimedDelivery, exit: Exit.Exit<Ended>): void => {
    inFlight.delete(claimed)
    leases.attemptEnded(claimed)
    endedSinceClaim += 1
    if (Exit.isSuccess(exit)) note(exit.value)
    gather()
  }

  const begin = (claimed: ClaimedDelivery): void => {
    const taker = takerOf(claimed)
    if (Option.isNone(taker)) {
      leases.attemptEnded(claimed)
      note(skip(claimed, clock.currentTimeMillisUnsafe()))
      return
    }
    const fiber = runFork(attempt(claimed, taker.value))
    inFlight.set(claimed, fiber)
    fiber.addObserver((exit) => onExit(claimed, exit))
  }

  /** Stores results, and notes which webhooks to disable. */
  const write = Effect.fnUntraced(function* (portion: ReadonlyArray<Ended>, now: Instant) {
    const assessed = yield* store.settle(portion, (health, succeeded) =>
      WebhookHealth.afterAttempt(health, succeeded, now)
    )
    ended.splice(0, portion.length)
    for (const { claimed } of portion) leases.settled(claimed)
    for (const { health, tenantId, webhookId } of assessed) {
      if (WebhookHealth.isGivenUp(health, now)) givingUp.note(tenantId, webhookId, { _tag: "GivenUp" })
    }
    for (const { askedAt, claimed, delivery, isGone } of portion) {
      if (isTrial(claimed)) yield* notifications.notify(settled(delivery.id))
      if (isGone) givingUp.note(delivery.tenantId, delivery.webhookId, { _tag: "Gone", askedAt, storedAt: now })
    }
    yield* Measures.ended(portion.map(({ outcome }) => outcome))
  })

  /**
   * Stores a batch of results when worthwhile, and disables webhooks that are due. Returns how long to wait for more
   * work; 0 after a write, because a concurrent claim did not see the room that the write made.
   */
  const settle = Effect.fnUntraced(function* (isStopping: boolean) {
    const now = yield* Clock.currentTimeMillis
    const portion = isStopping || isWorthWriting(now) ? ended.slice(0, settings.portion) : []
    if (portion.length > 0) yield* write(portion, now)
    const waitMillis = yield* givingUp.disableDue
    return portion.length > 0 ? 0 : waitMillis
  })

  /** Releases webhooks when another worker asks for some, unless this worker just asked itself. */
  const share = Effect.gen(function* () {
    yield* yield* notifications.listen(deliverySought)
    if ((yield* Clock.currentTimeMillis) >= seeksAgainAt) leases.share()
  })

  /** Asks other workers to release webhooks. */
  const seek = Effect.fnUntraced(function* (now: Instant) {
    if (now < seeksAgainAt) return
    seeksAgainAt = now + settings.seekMillis
    yield* notifications.notify(deliverySought)
  })

  /**
   * Claims as many deliveries as there is room for, renews leases with unsettled deliveries and releases the others.
   * Returns how long to wait.
   */
  const claim = Effect.fnUntraced(function* (own: ReadonlyArray<Lease>, limit: number) {
    const now = yield* Clock.currentTimeMillis
    const { attemptsPerWebhook, webhookLeaseMillis, pollMillis, restMillis } = settings
    const releasesForOthers = leases.releasesForOthers(own)
    if (releasesForOthers) restsUntil = now + restMillis
    const acquires = limit > 0 && now >= restsUntil
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
    claimed.forEach(begin)
    yield* Measures.taken(claimed, now)
    yield* Measures.inFlight(inFlight.size)
    if (releasesForOthers) yield* notifications.notify(deliveryDue)
    if (isLeasedByOthers && acquires) yield* seek(now)
    const renewMillis = leases.size > 0 ? webhookLeaseMillis / 4 : Number.POSITIVE_INFINITY
    if (limit === 0) return Math.min(pollMillis, renewMillis)
    return claimed.length === limit ? 0 : Math.min(Loop.untilDue(nextDueAt, now), renewMillis)
  })

  /**
   * Settles and claims concurrently, settling first, so that both transactions can share a commit. Neither interrupts
   * the other: an interrupted claim would lose its deliveries until the leases expire.
   */
  const settleAndClaim = Effect.gen(function* () {
    const own = leases.all()
    const limit = Math.max(0, settings.attemptsMax - inFlight.size - ended.length)
    endedSinceClaim = 0
    const [written, waitMillis] = yield* Effect.all([Effect.exit(settle(false)), Effect.exit(claim(own, limit))], {
      concurrency: 2
    })
    return Math.min(yield* written, yield* waitMillis)
  })

  /** Releases the webhooks without unsettled deliveries, and notifies other workers. */
  const releaseIdle = Effect.suspend(() => Effect.tap(claim(leases.all(), 0), notifications.notify(deliveryDue)))

  yield* Effect.forkScoped(Loop.forEver("deliver", share))
  yield* Loop.start({
    name: "deliver",
    topic: deliveryDue,
    wake,
    round: Effect.fnUntraced(function* (isStopping) {
      const waitMillis = yield* isStopping ? Effect.andThen(settle(true), releaseIdle) : settleAndClaim
      const now = yield* Clock.currentTimeMillis
      return ended.length > 0 && isWorthWriting(now) ? 0 : Math.min(waitMillis, writeBy() - now)
    }),
    isIdle: () => inFlight.size === 0 && ended.length === 0 && leases.size === 0,
    abandon: Effect.gen(function* () {
      isAbandoned = true
      const interrupted = [...inFlight.keys()]
      yield* Fiber.interruptAll([...inFlight.values()])
      const settled = yield* Effect.exit(
        Effect.whileLoop({ while: () => ended.length > 0, body: () => settle(true), step: () => undefined })
      )
      for (const claimed of [...interrupted, ...ended.map(({ claimed }) => claimed)]) leases.settled(claimed)
      yield* releaseIdle
      yield* settled
    })
  })
  return wake
})
