import {
  type AttemptResult,
  afterAttempt,
  type Delivery,
  isGone,
  isOurs,
  isTaken,
  skipped,
  takes
} from "@wcs/domain/Delivery"
import { DeliverySettings } from "@wcs/domain/DeliverySchedule"
import { type ClaimedDelivery, DeliveryStore, type Settlement } from "@wcs/domain/DeliveryStore"
import { Ids } from "@wcs/domain/Id"
import type { Instant } from "@wcs/domain/Instant"
import { deliveryDue, Notices, settled } from "@wcs/domain/Notices"
import type { WebhookFields } from "@wcs/domain/Webhook"
import * as WebhookHealth from "@wcs/domain/WebhookHealth"
import { Cause, Clock, Effect, Exit, Fiber, Latch, Option, Random, Result } from "effect"
import { EngineSettings } from "./EngineSettings.ts"
import * as GivingUp from "./GivingUp.ts"
import * as Loop from "./Loop.ts"
import * as Measures from "./Measures.ts"
import { Sender } from "./Sender.ts"
import { Signature } from "./Signature.ts"

/** A claimed delivery of which the outcome is known and not written yet. */
interface Ended extends Settlement {
  readonly claimed: ClaimedDelivery
  readonly outcome: Measures.AttemptOutcome
  /** The receiver has said that it is gone for good, when it was asked. */
  readonly isGone: boolean
  readonly askedAt: Instant
}

/** Somebody tries out a webhook: he waits for the outcome, and its health is not concerned. */
const isTrial = ({ delivery }: ClaimedDelivery): boolean => delivery.kind === "webhook.test"

/** The webhook that takes the delivery, or what is wrong with it; none where it is there no more or takes none. */
const takerOf = ({ delivery, webhook }: ClaimedDelivery): Option.Option<Result.Result<WebhookFields, unknown>> =>
  Result.isFailure(webhook)
    ? Option.some(Result.fail(webhook.failure))
    : webhook.success.pipe(
        Option.filter((fields) => takes(fields, delivery.kind)),
        Option.map((fields) => Result.succeed(fields))
      )

/** What an attempt comes to that was not made. */
const unsent: AttemptResult = { _tag: "Unanswered", fault: "INTERNAL_ERROR" }

const left = (claimed: ClaimedDelivery): Ended => ({
  claimed,
  delivery: skipped(claimed.delivery),
  lease: claimed.lease,
  succeeded: null,
  outcome: "skipped",
  isGone: false,
  askedAt: 0
})

/**
 * Attempts what is due. Deliveries are claimed, and their outcomes written, many at once; each attempt is one fiber. What
 * is in flight is known to this process alone: who comes after a crash finds what was claimed when its lease is over.
 */
export const start = Effect.gen(function* () {
  const settings = yield* EngineSettings
  const { retryDelaysMillis } = yield* DeliverySettings
  const store = yield* DeliveryStore
  const sender = yield* Sender
  const signature = yield* Signature
  const notices = yield* Notices
  const ids = yield* Ids
  const givingUp = yield* GivingUp.make
  const runFork = Effect.runForkWith(yield* Effect.context())
  const flying = new Map<ClaimedDelivery, Fiber.Fiber<Ended>>()
  const ended: Array<Ended> = []
  const word = Latch.makeUnsafe(true)
  let isGathering = false

  /** Whether as much has ended as is in flight still: what is written together costs less. */
  const isWorthARound = () => ended.length >= Math.min(flying.size, settings.portion)

  /** Has the loop look once that is so, or after a while: who answers at once does not wait for who hangs. */
  const gather = (): void => {
    if (isWorthARound()) word.openUnsafe()
    else if (!isGathering) {
      isGathering = true
      runFork(
        Effect.andThen(Effect.sleep(settings.gatherMillis), () =>
          Effect.sync(() => {
            isGathering = false
            word.openUnsafe()
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

  /** What dies by a fault of ours has failed as any attempt: it is tried again by the schedule, and ends with it. */
  const failed = ({ id, webhookId }: Delivery, cause: Cause.Cause<unknown>): Effect.Effect<AttemptResult> =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.interrupt
      : Effect.logError("A delivery could not be attempted.", Cause.pretty(cause)).pipe(
          Effect.annotateLogs({ deliveryId: id, webhookId }),
          Effect.as(unsent)
        )

  const attempt = Effect.fnUntraced(function* (
    claimed: ClaimedDelivery,
    webhook: Result.Result<WebhookFields, unknown>
  ) {
    const { delivery, lease } = claimed
    const at = yield* Clock.currentTimeMillis
    const result = yield* Effect.catchCause(send(delivery, webhook), (cause) => failed(delivery, cause))
    const now = yield* Clock.currentTimeMillis
    const times = { at, durationMillis: now - at }
    const jitter = yield* Random.next
    return {
      claimed,
      delivery: afterAttempt(delivery, result, times, retryDelaysMillis, now, jitter),
      lease,
      succeeded: isTrial(claimed) || isOurs(result) ? null : isTaken(result),
      outcome: Measures.outcomeOf(result),
      isGone: isGone(result),
      askedAt: at
    } satisfies Ended
  })

  const land = (claimed: ClaimedDelivery, exit: Exit.Exit<Ended>): void => {
    flying.delete(claimed)
    if (Exit.isSuccess(exit)) ended.push(exit.value)
    gather()
  }

  const begin = (claimed: ClaimedDelivery): void => {
    const taker = takerOf(claimed)
    if (Option.isNone(taker)) {
      ended.push(left(claimed))
      return
    }
    const fiber = runFork(attempt(claimed, taker.value))
    flying.set(claimed, fiber)
    fiber.addObserver((exit) => land(claimed, exit))
  }

  /**
   * Writes outcomes, and what follows from them; they are forgotten here once they are written. Answers how long nothing
   * more follows.
   */
  const settle = Effect.gen(function* () {
    const portion = ended.slice(0, settings.portion)
    const now = yield* Clock.currentTimeMillis
    if (portion.length > 0) {
      const assessed = yield* store.settle(portion, (health, succeeded) =>
        WebhookHealth.afterAttempt(health, succeeded, now)
      )
      ended.splice(0, portion.length)
      for (const { health, tenantId, webhookId } of assessed) {
        if (WebhookHealth.isGivenUp(health, now)) givingUp.note(tenantId, webhookId, { _tag: "GivenUp" })
      }
    }
    for (const { askedAt, claimed, delivery, isGone } of portion) {
      if (isTrial(claimed)) yield* notices.tell(settled(delivery.id))
      if (isGone) givingUp.note(delivery.tenantId, delivery.webhookId, { _tag: "Gone", askedAt, toldAt: now })
    }
    yield* Measures.ended(portion.map(({ outcome }) => outcome))
    return yield* givingUp.disableDue
  })

  /** Takes as many as there is room for; answers how long nothing more can be taken unless something ends. */
  const claim = Effect.gen(function* () {
    const limit = settings.attemptsMax - flying.size - ended.length
    if (limit <= 0) return settings.pollMillis
    const now = yield* Clock.currentTimeMillis
    const { attemptsPerWebhook, leaseMillis } = settings
    const lease = yield* ids.ulid
    const { claimed, nextDueAt } = yield* store.claim({
      now,
      lease,
      leaseMillis,
      limit,
      perWebhook: attemptsPerWebhook
    })
    claimed.forEach(begin)
    yield* Measures.taken(claimed, now)
    yield* Measures.flying(flying.size)
    return claimed.length === limit ? 0 : Loop.untilDue(nextDueAt, now)
  })

  /**
   * Both at the same time, settling first: where transactions that wait together share a commit, they do. Neither is
   * interrupted when the other fails: what was claimed would be lost to its lease.
   */
  const settleAndClaim = Effect.gen(function* () {
    const [written, waitMillis] = yield* Effect.all([Effect.exit(settle), Effect.exit(claim)], { concurrency: 2 })
    return Math.min(yield* written, yield* waitMillis)
  })

  yield* Loop.start({
    name: "deliver",
    topic: deliveryDue,
    word,
    round: Effect.fnUntraced(function* (isStopping) {
      const waitMillis = yield* isStopping ? settle : settleAndClaim
      if (ended.length === 0) return waitMillis
      return isWorthARound() ? 0 : Math.min(waitMillis, settings.gatherMillis)
    }),
    isIdle: () => flying.size === 0 && ended.length === 0,
    abandon: Effect.gen(function* () {
      const inFlight = [...flying.keys()]
      yield* Fiber.interruptAll([...flying.values()])
      const landed = new Set(ended.map(({ claimed }) => claimed))
      const unfinished = inFlight.filter((claimed) => !landed.has(claimed))
      if (unfinished.length > 0) yield* store.release(unfinished, yield* Clock.currentTimeMillis)
      while (ended.length > 0) yield* settle
    })
  })
  return word
})
