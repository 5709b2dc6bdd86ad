import { Clock, Effect } from "effect"

const millisPast = 60_000

/** The clock one minute ago: a lifetime of a second that starts by it has already ended. */
export const pastClock = Effect.map(Clock.Clock, (clock): Clock.Clock => {
  const currentTimeMillisUnsafe = () => clock.currentTimeMillisUnsafe() - millisPast
  return {
    ...clock,
    currentTimeMillisUnsafe,
    currentTimeMillis: Effect.sync(currentTimeMillisUnsafe),
    currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe() - BigInt(millisPast) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => clock.currentTimeNanosUnsafe() - BigInt(millisPast) * 1_000_000n),
    sleep: (duration) => clock.sleep(duration)
  }
})
