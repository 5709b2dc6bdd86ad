import { Clock, Effect, Layer, Record } from "effect"
import { boundBy, peek, perMinute, RateLimiter, type RateLimits, take, takeBoth, type Window } from "./RateLimitTier.ts"

/**
 * The maximum number of keys per tier. It bounds the memory that calls from many addresses can use. Each tier has its
 * own limit, so that anonymous callers cannot evict the windows of accounts.
 */
export const maxKeys = 100_000

/** Windows by key, oldest first. */
const makeWindows = () => {
  const windows = new Map<string, Window>()

  /** Makes room for one more window. Windows have one length, so the oldest ends first. */
  const makeRoom = (): void => {
    for (const key of windows.keys()) {
      if (windows.size < maxKeys) break
      windows.delete(key)
    }
  }

  return {
    get: (key: string) => windows.get(key),
    set: (key: string, window: Window): void => {
      const before = windows.get(key)
      if (before === undefined) makeRoom()
      else if (before.startedAt !== window.startedAt) windows.delete(key)
      windows.set(key, window)
    }
  }
}

/** Counts in this process only. Each call is counted synchronously, so that no two calls get the last permit. */
export const make = (limits: RateLimits) =>
  Effect.sync(() => {
    const tiers = Record.map(limits, (calls) => ({ limit: perMinute(calls), windows: makeWindows() }))
    return RateLimiter.of({
      limits,
      take: (tier, key, own = null) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const { limit, windows } = tiers[tier]
          const { quota, window } = take(windows.get(key), boundBy(limit, own), now)
          windows.set(key, window)
          return quota
        }),
      takeBoth: (first, second, now) => {
        const [one, other] = [tiers[first.tier], tiers[second.tier]]
        const { quota, windows } = takeBoth(
          { window: one.windows.get(first.key), limit: boundBy(one.limit, first.own) },
          { window: other.windows.get(second.key), limit: boundBy(other.limit, second.own) },
          now
        )
        if (windows !== null) {
          one.windows.set(first.key, windows[0])
          other.windows.set(second.key, windows[1])
        }
        return Effect.succeed(quota)
      },
      peek: (tier, key, own = null) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const { limit, windows } = tiers[tier]
          return peek(windows.get(key), boundBy(limit, own), now)
        })
    })
  })

export const layer = (limits: RateLimits): Layer.Layer<RateLimiter> => Layer.effect(RateLimiter, make(limits))
