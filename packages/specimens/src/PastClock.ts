import { Clock, Effect } from "effect"

const millisPast = 60_000

/** A clock that is one minute slow. A token that it issues for one second has already expired. */
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
