import { Effect, Semaphore } from "effect"

/** Lets further jobs run while this one waits. The job continues when a place is free. */
export type Aside = <A>(waiting: Effect.Effect<A>) => Effect.Effect<A>

/** Waits without letting the next job run. */
export const inPlace: Aside = (waiting) => waiting

/** Runs one job. The job that holds the place may wait `aside`; a part of it that waits meanwhile just waits. */
const runOne = <R>(places: Semaphore.Semaphore, run: (aside: Aside) => Effect.Effect<void, never, R>) =>
  Effect.suspend(() => {
    let isHeld = true
    const aside: Aside = (waiting) =>
      Effect.suspend(() => {
        if (!isHeld) return waiting
        isHeld = false
        const back = Effect.map(places.take(1), () => {
          isHeld = true
        })
        return Effect.andThen(
          places.release(1),
          Effect.tap(waiting, () => back)
        )
      })
    // an interrupted wait has not taken its place back
    return Effect.ensuring(
      run(aside),
      Effect.suspend(() => (isHeld ? places.release(1) : Effect.void))
    )
  })

/** Starts jobs in their order, and runs at most this many at a time. Jobs that wait `aside` do not count. */
export const runThrough = Effect.fnUntraced(function* <R>(
  jobs: ReadonlyArray<(aside: Aside) => Effect.Effect<void, never, R>>,
  concurrency: number
) {
  const places = yield* Semaphore.make(concurrency)
  // only one job at a time waits for its first place, so a job that has waited lets at most one more go first
  const entrance = yield* Semaphore.make(1)
  yield* Effect.forEach(jobs, (job) => Effect.andThen(entrance.withPermits(1)(places.take(1)), runOne(places, job)), {
    concurrency: "unbounded",
    discard: true
  })
})
