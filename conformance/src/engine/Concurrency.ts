import { Effect, Semaphore } from "effect"

/** Lets further jobs run while this one waits. The job continues when a permit is free. */
export type Wait = <A>(waiting: Effect.Effect<A>) => Effect.Effect<A>

/** Waits without letting the next job run. */
export const waitHoldingPermit: Wait = (waiting) => waiting

/** Runs one job. The job that holds the permit may call `wait`; a part of it that waits meanwhile just waits. */
const runOne = <R>(permits: Semaphore.Semaphore, run: (wait: Wait) => Effect.Effect<void, never, R>) =>
  Effect.suspend(() => {
    let isHeld = true
    const wait: Wait = (waiting) =>
      Effect.suspend(() => {
        if (!isHeld) return waiting
        isHeld = false
        const back = Effect.map(permits.take(1), () => {
          isHeld = true
        })
        return Effect.andThen(
          permits.release(1),
          Effect.tap(waiting, () => back)
        )
      })
    // an interrupted wait has not taken its permit back
    return Effect.ensuring(
      run(wait),
      Effect.suspend(() => (isHeld ? permits.release(1) : Effect.void))
    )
  })

/** Starts jobs in their order, and runs at most this many at a time. Jobs within `wait` do not count. */
export const runThrough = Effect.fnUntraced(function* <R>(
  jobs: ReadonlyArray<(wait: Wait) => Effect.Effect<void, never, R>>,
  concurrency: number
) {
  const permits = yield* Semaphore.make(concurrency)
  // only one job at a time waits for its first permit, so a job that has waited lets at most one more go first
  const entrance = yield* Semaphore.make(1)
  yield* Effect.forEach(jobs, (job) => Effect.andThen(entrance.withPermits(1)(permits.take(1)), runOne(permits, job)), {
    concurrency: "unbounded",
    discard: true
  })
})
