import type { Instant } from "@wcs/domain/shared/Instant"
import { Notices } from "@wcs/domain/shared/Notices"
import { Cause, Clock, Effect, Fiber, Latch, Random, type Scope } from "effect"
import { EngineSettings } from "./EngineSettings.ts"

/** What a loop works at. */
export interface Work<R> {
  /** For the log: what is done, "deliver". */
  readonly name: string
  /** The topic of which word has it look at once. */
  readonly topic: string
  /** Opened by whoever has the loop look at once. */
  readonly word: Latch.Latch
  /**
   * Does what there is to do now; while the loop stops, begins nothing more. Answers after how many milliseconds it is
   * to look again, should nobody wake it before. May die, and is called again later.
   */
  readonly round: (isStopping: boolean) => Effect.Effect<number, never, R>
  /** Whether nothing is in flight. */
  readonly isIdle: () => boolean
  /** Gives back what is in flight still when a stop has waited for long enough. */
  readonly abandon: Effect.Effect<void, never, R>
}

/** How long one waits where what is due cannot be taken: others take it, or there is no place for it. In milliseconds. */
const busyMillis = 100

/** After how many milliseconds one is to look again, by when something is due next; null where nothing is. */
export const untilDue = (nextDueAt: Instant | null, now: Instant): number => {
  if (nextDueAt === null) return Number.POSITIVE_INFINITY
  return nextDueAt > now ? nextDueAt - now : busyMillis
}

/** How long a loop waits after failures in a row. In milliseconds. */
const firstPauseMillis = 100
const longestPauseMillis = 10_000

const pauseAfter = (failures: number, jitter: number): number =>
  Math.min(longestPauseMillis, firstPauseMillis * 2 ** (failures - 1)) * (0.5 + jitter / 2)

const told = (name: string, cause: Cause.Cause<never>) =>
  Effect.logWarning("The worker failed; it goes on after a pause.", Cause.pretty(cause)).pipe(
    Effect.annotateLogs({ work: name })
  )

/** Tries again what dies, after pauses, as long as there is time; then it dies. */
export const insisting =
  (name: string, limitMillis: number, failures = 1) =>
  <A, R>(effect: Effect.Effect<A, never, R>): Effect.Effect<A, never, R> =>
    Effect.catchCause(
      effect,
      Effect.fnUntraced(function* (cause) {
        const pause = pauseAfter(failures, yield* Random.next)
        if (pause > limitMillis || Cause.hasInterruptsOnly(cause)) return yield* Effect.failCause(cause)
        yield* told(name, cause)
        yield* Effect.sleep(pause)
        return yield* insisting(name, limitMillis - pause, failures + 1)(effect)
      })
    )

/** Does something over and over, and outlives its failures. */
export const forEver = <R>(name: string, once: Effect.Effect<void, never, R | Scope.Scope>) =>
  once.pipe(
    Effect.scoped,
    Effect.catchCause((cause) => Effect.andThen(told(name, cause), Effect.sleep(longestPauseMillis))),
    Effect.forever
  )

/**
 * Works until the scope closes: round after round, at once where there is word. A round that dies is told of and waited
 * out; the loop never ends by it. When the scope closes, what is in flight is finished within a limit, and the rest
 * abandoned.
 */
export const start = Effect.fnUntraced(function* <R>(work: Work<R>) {
  const { pollMillis, spacingMillis, stopMillis } = yield* EngineSettings
  const notices = yield* Notices
  const { word } = work
  const stop = Latch.makeUnsafe(false)
  let failures = 0

  /** How long one waits after it in any case, and how long at the most. */
  const round = Effect.gen(function* () {
    const waitMillis = yield* work.round(stop.isOpen())
    failures = 0
    return { least: spacingMillis, most: Math.min(waitMillis, pollMillis) }
  }).pipe(
    Effect.catchCause(
      Effect.fnUntraced(function* (cause) {
        failures += 1
        yield* told(work.name, cause)
        return { least: pauseAfter(failures, yield* Random.next), most: 0 }
      })
    )
  )

  const isOver = () => stop.isOpen() && work.isIdle()

  /** A stop does not wait for it, unless it is there to spare a store that fails. */
  const pause = (millis: number) => {
    if (millis <= 0 || (stop.isOpen() && failures === 0)) return Effect.void
    return stop.isOpen() ? Effect.sleep(millis) : Effect.raceFirst(stop.await, Effect.sleep(millis))
  }

  const working = Effect.gen(function* () {
    while (!isOver()) {
      word.closeUnsafe()
      const begun = yield* Clock.currentTimeMillis
      const { least, most } = yield* round
      if (isOver()) return
      if (most > 0) yield* Effect.raceFirst(word.await, Effect.sleep(most))
      yield* pause(begun + least - (yield* Clock.currentTimeMillis))
    }
  })

  /** Listens anew before it wakes the loop: what is told of in between is not missed. */
  const listening = Effect.gen(function* () {
    const heard = yield* notices.listen(work.topic)
    word.openUnsafe()
    yield* heard
  })
  const ears = yield* Effect.forkScoped(forEver(work.name, listening))
  const fiber = yield* Effect.forkScoped(working)

  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      stop.openUnsafe()
      word.openUnsafe()
      yield* Fiber.interrupt(ears)
      const ended = yield* Effect.timeoutOption(Fiber.await(fiber), stopMillis)
      if (ended._tag === "Some") return
      yield* Fiber.interrupt(fiber)
      yield* Effect.catchCause(work.abandon, (cause) => told(work.name, cause))
    })
  )
})
