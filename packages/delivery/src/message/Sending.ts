import { serverActing } from "@wcs/domain/audit/AuditEntry"
import { partitionOf } from "@wcs/domain/lease/Partition"
import { withAcceptance } from "@wcs/domain/message/Acceptance"
import { Composing, type Written } from "@wcs/domain/message/Composing"
import * as Message from "@wcs/domain/message/Message"
import { MessageStore } from "@wcs/domain/message/MessageStore"
import { type Letter, Messages } from "@wcs/domain/message/Messages"
import { withReach } from "@wcs/domain/message/Reach"
import { type DueMessage, inTurn, sharesOf } from "@wcs/domain/message/Turns"
import { momentAt } from "@wcs/domain/shared/CalendarDay"
import { Ids } from "@wcs/domain/shared/Id"
import type { Instant } from "@wcs/domain/shared/Instant"
import { messageDue, Notifications } from "@wcs/domain/shared/Notifications"
import { Cause, Clock, Effect, Fiber, Latch, Option, Random } from "effect"
import { EngineSettings } from "../EngineSettings.ts"
import * as Loop from "../Loop.ts"
import * as Leases from "../lease/Leases.ts"
import * as Measures from "../Measures.ts"
import * as Announcing from "./Announcing.ts"

/** Attempts that run at the same time. Mail servers limit the connections of a client. */
const attemptsMax = 4

/** Further attempts, for codes: a person waits, also while the mail server is slow. */
const codesMax = 1
const placesMax = attemptsMax + codesMax

/** About how many due messages one read returns, and how long they are used, in milliseconds. */
const batchMax = 64
const batchMillis = 60_000

/** The shortest time between two reads because of news, in milliseconds. Many calls can queue messages at the same time. */
const newsMillis = 50

/** How long the end of an attempt is stored again when the store fails, in milliseconds. */
const insistMillis = 60_000

/** How long a message rests whose attempt could not begin or be ended, in milliseconds. */
const restMillis = 60_000

/** The end of an attempt that tells none itself. Until the message was handed over, nobody can have taken it. */
const endOf = (isHanded: boolean, reply: string): Message.Outcome => ({ _tag: isHanded ? "Unknown" : "Later", reply })

/** The services of the loop. */
interface Worker {
  readonly store: MessageStore["Service"]
  readonly messages: Messages["Service"]
  readonly composing: Composing["Service"]
  readonly leases: Leases.Leases
  readonly ids: Ids["Service"]
  readonly runFork: ReturnType<typeof Effect.runForkWith<never>>
  readonly inFlight: Map<string, DueMessage & { readonly fiber: Fiber.Fiber<void, unknown> }>
  /** Messages whose attempt could not begin, or not be ended, by id. */
  readonly resting: Map<string, { readonly tenantId: string; readonly until: Instant }>
  readonly wake: Latch.Latch
  /** Open when messages may be due that are not in the batch. */
  readonly news: Latch.Latch
  /** Due messages that were read, in the order to send them. */
  batch: ReadonlyArray<DueMessage>
  readAt: Instant
  /** The attempts that began since that read. */
  begun: number
  /** The number of the last turn of each tenant that has messages, and of all. */
  readonly turns: Map<string, number>
  turn: number
}

/** The id of the message is made from its cause, so the `Message-ID` is the same in each attempt. */
const letterOf = ({ id }: Message.StoredMessage, language: string, written: Written): Letter => {
  const { html, subject, text, to } = written
  return { messageId: id, to, subject, text, html, language }
}

/**
 * Makes an attempt. SENDING is stored before the mail server is asked, and the end afterwards. A worker that is killed in
 * between leaves SENDING, which becomes UNKNOWN: so a message is accepted once, or named as unknown.
 */
const attempt = Effect.fn("Sending.attempt")(function* (worker: Worker, due: DueMessage) {
  const { composing, ids, messages, store } = worker
  const { message, tenantId } = due
  const now = yield* Clock.currentTimeMillis
  const tenant = yield* store.tenant(tenantId)
  const written = yield* composing.compose(tenant, message, now)
  const begun = yield* store.change(tenantId, message.id, (current) => {
    if (current.version !== message.version) return undefined
    if (Option.isNone(written)) return Message.unsaid(current, now)
    if (written.value.to !== undefined) return Message.begun(current, now)
    const end = Message.unaddressed(current, now)
    return end && withReach(end, written.value.person)
  })
  const placed = Option.getOrUndefined(begun)
  if (Option.isNone(written) || written.value.to === undefined || placed === null || placed === undefined) return
  const { hidden, person, to } = written.value
  const number = placed.message.fields.attempts
  const settle = Effect.fnUntraced(function* (outcome: Message.Outcome) {
    yield* Measures.sent(outcome)
    const [endedAt, jitter] = [yield* Clock.currentTimeMillis, yield* Random.next]
    const actor = serverActing(yield* ids.ulid)
    const by = { ...momentAt(endedAt, tenant.timeZone), actor, auditId: yield* ids.mint("audit") }
    yield* store
      .change(tenantId, message.id, (current) => {
        const end = Message.settled(current, number, outcome, endedAt, jitter, hidden)
        return end && withReach(withAcceptance(end, by), person, to, outcome)
      })
      .pipe(Loop.insisting("message", insistMillis))
  })
  let isHanded = false
  const handed = () => {
    isHanded = true
  }
  const outcome = yield* messages.send(letterOf(message, tenant.settings.language, written.value), handed).pipe(
    Effect.timeoutOrElse({
      duration: Message.attemptMillis,
      orElse: () => Effect.succeed(endOf(isHanded, "The attempt did not end in time."))
    }),
    Effect.catchDefect((defect) =>
      Effect.as(
        Effect.logError("A mail adapter failed.", defect),
        endOf(isHanded, "The attempt ended with an internal error.")
      )
    ),
    // A worker that stops knows whether the message can have been taken.
    Effect.onInterrupt(() => settle(endOf(isHanded, "The worker stopped during the attempt.")))
  )
  yield* settle(outcome)
})

/** Ends an attempt whose worker was lost. */
const recover = Effect.fn("Sending.recover")(function* ({ store }: Worker, { message, tenantId }: DueMessage) {
  const now = yield* Clock.currentTimeMillis
  yield* store.change(tenantId, message.id, (current) =>
    current.version === message.version
      ? Message.settled(current, current.fields.attempts, Message.lost, now, 0)
      : undefined
  )
})

const begin = (worker: Worker, due: DueMessage): void => {
  const { inFlight, leases, resting, runFork, store, wake } = worker
  const { message, tenantId } = due
  const fiber = runFork(
    (message.fields.state === "SENDING" ? recover(worker, due) : attempt(worker, due)).pipe(
      Effect.catchCause(
        Effect.fnUntraced(function* (cause) {
          if (Cause.hasInterruptsOnly(cause)) return
          yield* Effect.logError("A message could not be sent.", Cause.pretty(cause)).pipe(
            Effect.annotateLogs({ tenantId, messageId: message.id })
          )
          const now = yield* Clock.currentTimeMillis
          const until = now + restMillis
          resting.set(message.id, { tenantId, until })
          // Due later, so that messages that fail do not fill the reads of those that are due.
          yield* store.change(tenantId, message.id, (current) =>
            Message.postponed(current, message.version, until, now)
          )
        })
      )
    )
  )
  inFlight.set(message.id, { ...due, fiber })
  fiber.addObserver(() => {
    inFlight.delete(message.id)
    leases.settled()
    wake.openUnsafe()
  })
}

/** Reads the next messages of the tenants that this worker leases. */
const refill = Effect.fnUntraced(function* (worker: Worker, now: Instant) {
  const { inFlight, leases, news, resting, store, turns } = worker
  for (const [id, { until }] of resting) if (until <= now) resting.delete(id)
  news.closeUnsafe() // before the reads, so that no message is missed
  const queues = (yield* store.waiting(now)).filter(({ tenantId }) => leases.isActive(partitionOf(tenantId)))
  const waiting = new Set(queues.map(({ tenantId }) => tenantId))
  for (const tenantId of turns.keys()) if (!waiting.has(tenantId)) turns.delete(tenantId)
  const restingBy = Map.groupBy(resting.values(), ({ tenantId }) => tenantId)
  const shares = sharesOf(
    queues,
    (tenantId) => turns.get(tenantId) ?? 0,
    (tenantId) => restingBy.get(tenantId)?.length ?? 0,
    batchMax
  )
  worker.batch = inTurn(yield* store.due(shares, now), shares).filter(({ message }) => !inFlight.has(message.id))
  worker.readAt = now
  worker.begun = 0
})

/** Whether a place is free for a message. */
const hasPlace = ({ inFlight }: Worker, { priority }: Pick<DueMessage, "priority">): boolean => {
  const codes = [...inFlight.values()].filter((one) => one.priority === 0).length
  return inFlight.size < placesMax && (priority === 0 || inFlight.size - codes < attemptsMax)
}

/** Starts attempts in the free places. Returns how long to wait: the loop also polls. */
const claim = Effect.fnUntraced(function* (worker: Worker) {
  const { inFlight, leases, news, resting, turns } = worker
  const now = yield* Clock.currentTimeMillis
  if (leases.active().length === 0 || !hasPlace(worker, { priority: 0 })) return Number.POSITIVE_INFINITY
  const age = now - worker.readAt
  const isOld = age < 0 || age >= batchMillis
  if (worker.batch.length === 0 || isOld || (news.isOpen() && age >= newsMillis)) {
    yield* refill(worker, now).pipe(Effect.onError(() => Effect.sync(() => news.openUnsafe())))
  }
  worker.batch = worker.batch.filter((due) => {
    const { message, tenantId } = due
    // News wait until what was read has filled the places, so that a stream of them keeps no message from being sent.
    if ((news.isOpen() && worker.begun >= placesMax) || !hasPlace(worker, due)) return true
    if (inFlight.has(message.id) || resting.has(message.id) || !leases.isActive(partitionOf(tenantId))) return false
    worker.turn += 1
    turns.set(tenantId, worker.turn)
    worker.begun += 1
    begin(worker, due)
    return false
  })
  return news.isOpen() ? newsMillis : Number.POSITIVE_INFINITY
})

/** Queues the messages of tenants, and sends what is due. */
export const start = Effect.gen(function* () {
  const inFlight: Worker["inFlight"] = new Map()
  const [wake, news, rounds] = [Latch.makeUnsafe(true), Latch.makeUnsafe(true), Latch.makeUnsafe(true)]
  const { pollMillis } = yield* EngineSettings
  const leases = yield* Leases.make("message", {
    busy: () => new Set(Array.from(inFlight.values(), ({ tenantId }) => partitionOf(tenantId))),
    changed: () => {
      wake.openUnsafe()
      news.openUnsafe()
      rounds.openUnsafe()
    }
  })
  const worker: Worker = {
    store: yield* MessageStore,
    messages: yield* Messages,
    composing: yield* Composing,
    ids: yield* Ids,
    leases,
    runFork: Effect.runForkWith(yield* Effect.context()),
    inFlight,
    resting: new Map(),
    wake,
    news,
    batch: [],
    readAt: 0,
    begun: 0,
    turns: new Map(),
    turn: 0
  }
  yield* (yield* Notifications).listen(messageDue, news)
  yield* Loop.start({
    name: "message",
    topic: messageDue,
    wake,
    round: (isStopping) =>
      isStopping
        ? Effect.as(Effect.sync(leases.leave), Number.POSITIVE_INFINITY)
        : Effect.map(claim(worker), (wait) => Math.min(wait, pollMillis)),
    isIdle: () => inFlight.size === 0,
    abandon: Effect.suspend(() => Fiber.interruptAll(Array.from(inFlight.values(), ({ fiber }) => fiber)))
  })
  yield* Announcing.start(leases, rounds)
})
