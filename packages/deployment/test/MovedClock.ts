import { Clock, Effect } from "effect"

/** The machine's clock, which a test can move forward. Sleeps keep their real duration. */
export interface MovedClock {
  readonly clock: Clock.Clock
  readonly advance: (seconds: number) => Effect.Effect<void>
}

export const make: Effect.Effect<MovedClock> = Effect.sync(() => {
  const machine = Clock.Clock.defaultValue()
  let aheadMillis = 0
  const millis = () => machine.currentTimeMillisUnsafe() + aheadMillis
  const nanos = () => machine.currentTimeNanosUnsafe() + BigInt(aheadMillis) * 1_000_000n
  return {
    clock: {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: () => machine.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: machine.monotonicTimeNanos,
      sleep: (duration) => machine.sleep(duration)
    },
    advance: (seconds) =>
      Effect.sync(() => {
        aheadMillis += seconds * 1000
      })
  }
})
