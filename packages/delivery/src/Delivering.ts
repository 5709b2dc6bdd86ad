import { Ids } from "@wcs/domain/shared/Id"
import type { Instant } from "@wcs/domain/shared/Instant"
import { deliveryDue, deliverySought, Notices, settled } from "@wcs/domain/shared/Notices"
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
import type { Hold } from "@wcs/domain/webhook/Hold"
import type { WebhookFields } from "@wcs/domain/webhook/Webhook"
import * as WebhookHealth from "@wcs/domain/webhook/WebhookHealth"
import { Cause, Clock, Effect, Exit, Fiber, Latch, Option, Random, Result } from "effect"
import { EngineSettings } from "./EngineSettings.ts"
import * as GivingUp from "./GivingUp.ts"
import * as Holds from "./Holds.ts"
import * as Loop from "./Loop.ts"
import * as Measures from "./Measures.ts"
import { Sender } from "./Sender.ts"
import { Signature } from "./Signature.ts"

/** A claimed delivery of which the outcome is known and not written yet. */
interface Ended extends Settlement {
  readonly outcome: Measures.AttemptOutcome
  /** The receiver has said that it is gone for good, when it was asked. */
  readonly isGone: boolean
  readonly askedAt: Instant
  readonly endedAt: Instant
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

const left = (claimed: ClaimedDelivery, now: Instant): Ended => ({
  claimed,
  delivery: skipped(claimed.delivery),
  succeeded: null,
  outcome: "skipped",
  isGone: false,
  askedAt: now,
  endedAt: now
})

/**
 * Attempts what is due of the webhooks that this worker holds. Deliveries are claimed, and their outcomes written, many at
 * once; each attempt is one fiber. What is in flight is known to this process alone: after a crash others find it when
 * what it held is held no more.
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
  const holder = yield* ids.ulid
  const holds = Holds.make(settings.attemptsPerWebhook)
  const clock = yield* Clock.Clock
  const runFork = Effect.runForkWith(yield* Effect.context())
  const flying = new Map<ClaimedDelivery, Fiber.Fiber<Ended>>()
  const ended: Array<Ended> = []
  const word = Latch.makeUnsafe(true)
  let isGathering = false
  /** When it takes on webhooks again after it has given some back for another. */
  let restsUntil: Instant = 0
  /** When it may seek webhooks again. */
  let seeksAgainAt: Instant = 0
  let isAbandoned = false
  /** How many attempts have ended since it claimed last. */
  let landed = 0

  /** When what has ended is written at the latest: within a while, and at once where somebody waits for it. */
  const writeBy = (): Instant =>
    ended.reduce(
      (earliest, { claimed, endedAt }) =>
        Math.min(earliest, isTrial(claimed) ? endedAt : endedAt + settings.gatherMillis),
      Number.POSITIVE_INFINITY
    )

  /** Whether so many places are free that it is worth while to claim. */
  const isWorthAClaim = () => landed >= Math.min(flying.size, settings.portion)

  /** Whether outcomes are to be written: what is written together costs less, unless nothing more is to come. */
  const isWorthWriting = (now: Instant) => ended.length >= settings.portion || flying.size === 0 || now >= writeBy()

  /** Has the loop look once that is so, or after a while: who answers at once does not wait for who hangs. */
  const gather = (): void => {
    if (isWorthAClaim() || ended.length >= settings.portion) word.openUnsafe()
    else if (!isGathering) {
      isGathering = true
      runFork(
        Effect.andThen(Effect.sleep(settings.fillMillis), () =>
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

  /**
   * What ends by a fault of ours has failed as any attempt: it is tried again by the schedule, and ends with it. Only what
   * was abandoned was not attempted.
   */
  const failed = ({ id, webhookId }: Delivery, cause: Cause.Cause<unknown>): Effect.Effect<AttemptResult> =>
    isAbandoned
      ? Effect.interrupt
      : Effect.logError("A delivery could not be attempted.", Cause.pretty(cause)).pipe(
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
    if (isTrial(one.claimed)) word.openUnsafe()
  }

  const land = (claimed: ClaimedDelivery, exit: Exit.Exit<Ended>): void => {
    flying.delete(claimed)
    holds.landed(claimed)
    landed += 1
    if (Exit.isSuccess(exit)) note(exit.value)
    gather()
  }

  const begin = (claimed: ClaimedDelivery): void => {
    const taker = takerOf(claimed)
    if (Option.isNone(taker)) {
      holds.landed(claimed)
      note(left(claimed, clock.currentTimeMillisUnsafe()))
      return
    }
    const fiber = runFork(attempt(claimed, taker.value))
    flying.set(claimed, fiber)
    fiber.addObserver((exit) => land(claimed, exit))
  }

  /** Writes outcomes, which are forgotten here once they are written, and notes what follows from them. */
  const write = Effect.fnUntraced(function* (portion: ReadonlyArray<Ended>, now: Instant) {
    const assessed = yield* store.settle(portion, (health, succeeded) =>
      WebhookHealth.afterAttempt(health, succeeded, now)
    )
    ended.splice(0, portion.length)
    for (const { claimed } of portion) holds.settled(claimed)
    for (const { health, tenantId, webhookId } of assessed) {
      if (WebhookHealth.isGivenUp(health, now)) givingUp.note(tenantId, webhookId, { _tag: "GivenUp" })
    }
    for (const { askedAt, claimed, delivery, isGone } of portion) {
      if (isTrial(claimed)) yield* notices.tell(settled(delivery.id))
      if (isGone) givingUp.note(delivery.tenantId, delivery.webhookId, { _tag: "Gone", askedAt, toldAt: now })
    }
    yield* Measures.ended(portion.map(({ outcome }) => outcome))
  })

  /**
   * Writes a portion of the outcomes, if that is worth while, and gives up webhooks whose turn it is. Answers how long
   * nothing more follows: what is written makes room for what a claim that is made meanwhile does not see.
   */
  const settle = Effect.fnUntraced(function* (isStopping: boolean) {
    const now = yield* Clock.currentTimeMillis
    const portion = isStopping || isWorthWriting(now) ? ended.slice(0, settings.portion) : []
    if (portion.length > 0) yield* write(portion, now)
    const waitMillis = yield* givingUp.disableDue
    return portion.length > 0 ? 0 : waitMillis
  })

  /** Has room for another worker when it seeks webhooks; who has just sought some himself keeps what he got. */
  const share = Effect.gen(function* () {
    yield* yield* notices.listen(deliverySought)
    if ((yield* Clock.currentTimeMillis) >= seeksAgainAt) holds.share()
  })

  /** Seeks webhooks with those who hold some. */
  const seek = Effect.fnUntraced(function* (now: Instant) {
    if (now < seeksAgainAt) return
    seeksAgainAt = now + settings.seekMillis
    yield* notices.tell(deliverySought)
  })

  /**
   * Takes as many as there is room for, and holds on to what it holds work of; gives back the rest of what it held when
   * these were listed. Answers how long there is nothing more.
   */
  const claim = Effect.fnUntraced(function* (own: ReadonlyArray<Hold>, limit: number) {
    const now = yield* Clock.currentTimeMillis
    const { attemptsPerWebhook, holdMillis, pollMillis, restMillis } = settings
    const isSought = holds.isSought(own)
    if (isSought) restsUntil = now + restMillis
    const takesOn = limit > 0 && now >= restsUntil
    const { claimed, isHeldByOthers, nextDueAt } = yield* store.claim({
      now,
      holder,
      holdMillis,
      holds: own,
      limit,
      perWebhook: attemptsPerWebhook,
      takesOn
    })
    holds.took(own, claimed, claimed.length === limit, now)
    claimed.forEach(begin)
    yield* Measures.taken(claimed, now)
    yield* Measures.flying(flying.size)
    if (isSought) yield* notices.tell(deliveryDue)
    if (isHeldByOthers && takesOn) yield* seek(now)
    const holdsMillis = holds.size > 0 ? holdMillis / 4 : Number.POSITIVE_INFINITY
    if (limit === 0) return Math.min(pollMillis, holdsMillis)
    return claimed.length === limit ? 0 : Math.min(Loop.untilDue(nextDueAt, now), holdsMillis)
  })

  /**
   * Both at the same time, settling first: where transactions that wait together share a commit, they do. Neither is
   * interrupted when the other fails: what was claimed would be lost until it is held no more.
   */
  const settleAndClaim = Effect.gen(function* () {
    const own = holds.all()
    const limit = Math.max(0, settings.attemptsMax - flying.size - ended.length)
    landed = 0
    const [written, waitMillis] = yield* Effect.all([Effect.exit(settle(false)), Effect.exit(claim(own, limit))], {
      concurrency: 2
    })
    return Math.min(yield* written, yield* waitMillis)
  })

  /** Gives back what nothing is under way of, and tells those who may take it. */
  const giveBack = Effect.suspend(() => Effect.tap(claim(holds.all(), 0), notices.tell(deliveryDue)))

  yield* Effect.forkScoped(Loop.forEver("deliver", share))
  yield* Loop.start({
    name: "deliver",
    topic: deliveryDue,
    word,
    round: Effect.fnUntraced(function* (isStopping) {
      const waitMillis = yield* isStopping ? Effect.andThen(settle(true), giveBack) : settleAndClaim
      const now = yield* Clock.currentTimeMillis
      return ended.length > 0 && isWorthWriting(now) ? 0 : Math.min(waitMillis, writeBy() - now)
    }),
    isIdle: () => flying.size === 0 && ended.length === 0 && holds.size === 0,
    abandon: Effect.gen(function* () {
      isAbandoned = true
      const inFlight = [...flying.keys()]
      yield* Fiber.interruptAll([...flying.values()])
      const settled = yield* Effect.exit(
        Effect.whileLoop({ while: () => ended.length > 0, body: () => settle(true), step: () => undefined })
      )
      for (const claimed of [...inFlight, ...ended.map(({ claimed }) => claimed)]) holds.settled(claimed)
      yield* giveBack
      yield* settled
    })
  })
  return word
})
