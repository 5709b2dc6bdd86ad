import type { Instant } from "@wcs/domain/shared/Instant"
import { Notifications } from "@wcs/domain/shared/Notifications"
import { Cause, Clock, Effect, Fiber, Latch, Random } from "effect"
import { EngineSettings } from "./EngineSettings.ts"

/** The work of a loop. */
export interface Work<R> {
  /** Name in the log, such as "deliver". */
  readonly name: string
  /** The notification topic that wakes the loop. */
  readonly topic: string
  /** Open it to wake the loop. */
  readonly wake: Latch.Latch
  /**
   * Does the work that is due now. While stopping, starts nothing new. Returns the milliseconds until the next round,
   * unless the loop is woken earlier. May die; the loop then calls it again later.
   */
  readonly round: (isStopping: boolean) => Effect.Effect<number, never, R>
  /** Whether nothing is in flight. */
  readonly isIdle: () => boolean
  /** Releases the work in flight when a stop times out. */
  readonly abandon: Effect.Effect<void, never, R>
}

/** The shortest time between two rounds, so that results are stored together. */
const spacingMillis = 5

/** Milliseconds until the next work is due; infinite when `nextDueAt` is null. */
export const untilDue = (nextDueAt: Instant | null, now: Instant): number =>
  nextDueAt === null ? Number.POSITIVE_INFINITY : Math.max(0, nextDueAt - now)

/** The range of pauses after consecutive failures, in milliseconds. */
const firstPauseMillis = 100
const longestPauseMillis = 10_000

const pauseAfter = (failures: number, jitter: number): number =>
  Math.min(longestPauseMillis, firstPauseMillis * 2 ** (failures - 1)) * (0.5 + jitter / 2)

/** Logs a failure of the worker that is retried. */
export const logFailure = (name: string, cause: Cause.Cause<never>) =>
  Effect.logWarning("The worker failed and retries after a pause.", Cause.pretty(cause)).pipe(
    Effect.annotateLogs({ work: name })
  )

/** Retries an effect that dies, with growing pauses, up to a time limit. Then it dies. */
export const insisting =
  (name: string, limitMillis: number, failures = 1) =>
  <A, R>(effect: Effect.Effect<A, never, R>): Effect.Effect<A, never, R> =>
    Effect.catchCause(
      effect,
      Effect.fnUntraced(function* (cause) {
        const pause = pauseAfter(failures, yield* Random.next)
        if (pause > limitMillis || Cause.hasInterruptsOnly(cause)) return yield* Effect.failCause(cause)
        yield* logFailure(name, cause)
        yield* Effect.sleep(pause)
        return yield* insisting(name, limitMillis - pause, failures + 1)(effect)
      })
    )

/** Repeats an effect forever. Logs failures and pauses after them. */
export const forEver = <R>(name: string, once: Effect.Effect<void, never, R>) =>
  once.pipe(
    Effect.catchCause((cause) => Effect.andThen(logFailure(name, cause), Effect.sleep(longestPauseMillis))),
    Effect.forever
  )

/**
 * Runs rounds until the scope closes, without delay after a notification. A round that dies is logged and retried after
 * a pause. When the scope closes, work in flight may finish within a limit; the rest is abandoned.
 */
export const start = Effect.fnUntraced(function* <R>(work: Work<R>) {
  const { pollMillis, stopMillis } = yield* EngineSettings
  const notifications = yield* Notifications
  const { wake } = work
  const stop = Latch.makeUnsafe(false)
  let failures = 0

  /** Runs a round. Returns the shortest and the longest wait after it. */
  const round = Effect.gen(function* () {
    const waitMillis = yield* work.round(stop.isOpen())
    failures = 0
    return { least: spacingMillis, most: Math.min(waitMillis, pollMillis) }
  }).pipe(
    Effect.catchCause(
      Effect.fnUntraced(function* (cause) {
        failures += 1
        yield* logFailure(work.name, cause)
        return { least: pauseAfter(failures, yield* Random.next), most: 0 }
      })
    )
  )

  const isOver = () => stop.isOpen() && work.isIdle()

  /** Waits; a stop skips the wait, except after a failure of the store. */
  const pause = (millis: number) => {
    if (millis <= 0 || (stop.isOpen() && failures === 0)) return Effect.void
    return stop.isOpen() ? Effect.sleep(millis) : Effect.raceFirst(stop.await, Effect.sleep(millis))
  }

  const working = Effect.gen(function* () {
    while (!isOver()) {
      wake.closeUnsafe() // before the round reads, so that no notification is missed
      const begun = yield* Clock.currentTimeMillis
      const { least, most } = yield* round
      if (isOver()) return
      if (most > 0) yield* Effect.raceFirst(wake.await, Effect.sleep(most))
      // After a step of the clock back, the difference alone would be as long as the step.
      yield* pause(Math.min(least, begun + least - (yield* Clock.currentTimeMillis)))
    }
  })

  yield* notifications.listen(work.topic, wake)
  const fiber = yield* Effect.forkScoped(working)

  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      stop.openUnsafe()
      wake.openUnsafe()
      const ended = yield* Effect.timeoutOption(Fiber.await(fiber), stopMillis)
      if (ended._tag === "Some") return
      yield* Fiber.interrupt(fiber)
      yield* Effect.catchCause(work.abandon, (cause) => logFailure(work.name, cause))
    })
  )
})

/**
 * Work on one of many. A fault is logged with this message and gives `otherwise`, so that the others go on. The next round
 * tries it again.
 */
export const apart =
  <B>(message: string, otherwise: B) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A | B, never, R> =>
    Effect.catchCause(work, (cause) => Effect.as(Effect.logWarning(message, Cause.pretty(cause)), otherwise))

/**
 * Repeats rounds until the scope closes. Each returns the milliseconds until the next one. A round that dies is logged with
 * this message, and the next one follows after `pauseMillis`.
 */
export const rounds =
  (message: string, pauseMillis: number) =>
  <R>(round: Effect.Effect<number, never, R>) =>
    round.pipe(apart(message, pauseMillis), Effect.flatMap(Effect.sleep), Effect.forever, Effect.forkScoped)
