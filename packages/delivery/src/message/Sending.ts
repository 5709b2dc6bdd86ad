import { partitionOf } from "@wcs/domain/lease/Partition"
import { Composing, type Written } from "@wcs/domain/message/Composing"
import * as Message from "@wcs/domain/message/Message"
import { type DueMessage, MessageStore } from "@wcs/domain/message/MessageStore"
import { type Letter, Messages } from "@wcs/domain/message/Messages"
import type { Instant } from "@wcs/domain/shared/Instant"
import { messageDue } from "@wcs/domain/shared/Notifications"
import { Cause, Clock, Effect, Fiber, Latch, Option, Random } from "effect"
import { EngineSettings } from "../EngineSettings.ts"
import * as Loop from "../Loop.ts"
import * as Leases from "../lease/Leases.ts"
import * as Measures from "../Measures.ts"
import * as Announcing from "./Announcing.ts"

/** Attempts that run at the same time. Mail servers limit the connections of a client. */
const attemptsMax = 4

/** Due messages that one statement reads. */
const dueMax = 256

/** How long the end of an attempt is stored again when the store fails, in milliseconds. */
const insistMillis = 60_000

/** How long a message rests whose attempt could not begin, in milliseconds. */
const restMillis = 60_000

/** The end of an attempt that tells none itself. Until the message was handed over, nobody can have taken it. */
const endOf = (isHanded: boolean, reply: string): Message.Outcome => ({ _tag: isHanded ? "Unknown" : "Later", reply })

/** The services of the loop. */
interface Worker {
  readonly store: MessageStore["Service"]
  readonly messages: Messages["Service"]
  readonly composing: Composing["Service"]
  readonly leases: Leases.Leases
  readonly runFork: ReturnType<typeof Effect.runForkWith<never>>
  readonly inFlight: Map<string, { readonly tenantId: string; readonly fiber: Fiber.Fiber<void, unknown> }>
  readonly resting: Map<string, Instant>
  readonly wake: Latch.Latch
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
  const { composing, messages, store } = worker
  const { message, tenantId } = due
  const now = yield* Clock.currentTimeMillis
  const tenant = yield* store.tenant(tenantId)
  const written = yield* composing.compose(tenant, message, now)
  const begun = yield* store.change(tenantId, message.id, (current) => {
    if (current.version !== message.version) return undefined
    return Option.isNone(written) ? Message.unsaid(current, now) : Message.begun(current, now)
  })
  const placed = Option.getOrUndefined(begun)
  if (Option.isNone(written) || placed === null || placed === undefined) return
  const { hidden } = written.value
  const number = placed.message.fields.attempts
  const settle = Effect.fnUntraced(function* (outcome: Message.Outcome) {
    yield* Measures.sent(outcome)
    const [endedAt, jitter] = [yield* Clock.currentTimeMillis, yield* Random.next]
    yield* store
      .change(tenantId, message.id, (current) => Message.settled(current, number, outcome, endedAt, jitter, hidden))
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

const begin = (worker: Worker, due: DueMessage): void => {
  const { inFlight, leases, resting, runFork, store, wake } = worker
  const { message, tenantId } = due
  const fiber = runFork(
    attempt(worker, due).pipe(
      Effect.catchCause(
        Effect.fnUntraced(function* (cause) {
          if (Cause.hasInterruptsOnly(cause)) return
          yield* Effect.logError("A message could not be sent.", Cause.pretty(cause)).pipe(
            Effect.annotateLogs({ tenantId, messageId: message.id })
          )
          const now = yield* Clock.currentTimeMillis
          const until = now + restMillis
          resting.set(message.id, until)
          // Due later, so that messages that fail do not fill the reads of those that are due.
          yield* store.change(tenantId, message.id, (current) =>
            Message.postponed(current, message.version, until, now)
          )
        })
      )
    )
  )
  inFlight.set(message.id, { tenantId, fiber })
  fiber.addObserver(() => {
    inFlight.delete(message.id)
    leases.settled()
    wake.openUnsafe()
  })
}

/** Ends attempts whose worker was lost. */
const recover = Effect.fnUntraced(function* ({ inFlight, store }: Worker, now: Instant) {
  for (const { message, tenantId } of yield* store.lost(now, dueMax)) {
    if (inFlight.has(message.id)) continue
    yield* store.change(tenantId, message.id, (current) =>
      current.version === message.version
        ? Message.settled(current, current.fields.attempts, Message.lost, now, 0)
        : undefined
    )
  }
})

/** Starts attempts in the free places. Returns how long to wait: the loop also polls. */
const claim = Effect.fnUntraced(function* (worker: Worker) {
  const { inFlight, leases, resting, store } = worker
  const now = yield* Clock.currentTimeMillis
  for (const [id, until] of resting) if (until <= now) resting.delete(id)
  yield* recover(worker, now)
  if (leases.active().length === 0) return Number.POSITIVE_INFINITY
  const due = inFlight.size >= attemptsMax ? [] : yield* store.due(now, dueMax)
  for (const one of due) {
    const { message, tenantId } = one
    if (inFlight.size >= attemptsMax) break
    if (inFlight.has(message.id) || resting.has(message.id) || !leases.isActive(partitionOf(tenantId))) continue
    begin(worker, one)
  }
  return Number.POSITIVE_INFINITY
})

/** Queues the messages of tenants, and sends what is due. */
export const start = Effect.gen(function* () {
  const inFlight: Worker["inFlight"] = new Map()
  const [wake, rounds] = [Latch.makeUnsafe(true), Latch.makeUnsafe(true)]
  const { pollMillis } = yield* EngineSettings
  const leases = yield* Leases.make("message", {
    busy: () => new Set(Array.from(inFlight.values(), ({ tenantId }) => partitionOf(tenantId))),
    changed: () => {
      wake.openUnsafe()
      rounds.openUnsafe()
    }
  })
  const worker: Worker = {
    store: yield* MessageStore,
    messages: yield* Messages,
    composing: yield* Composing,
    leases,
    runFork: Effect.runForkWith(yield* Effect.context()),
    inFlight,
    resting: new Map(),
    wake
  }
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
