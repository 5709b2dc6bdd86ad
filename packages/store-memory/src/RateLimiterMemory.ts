import {
  peek,
  type Quota,
  RateLimiter,
  type RateLimits,
  type RateLimitTier,
  take,
  type Window
} from "@wcs/domain/RateLimitTier"
import { Clock, Effect, Layer } from "effect"

/** Keys that are counted at a time: what bounds the memory that strangers can take by calling from many addresses. */
export const maxKeys = 100_000

/** Windows by key, in the order in which they began. */
const makeWindows = () => {
  const windows = new Map<string, Window>()

  /** Room for one more. What is over began before what is not, so that it goes first. */
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

/** Counts in this process alone. A call is counted in one synchronous step, so that no two get the last one. */
export const make = (limits: RateLimits) =>
  Effect.sync(() => {
    const windows = makeWindows()
    const keyOf = (tier: RateLimitTier, key: string) => `${tier} ${key}`
    return RateLimiter.of({
      take: Effect.fnUntraced(function* (tier, key) {
        const now = yield* Clock.currentTimeMillis
        const slot = keyOf(tier, key)
        const { quota, window } = take(windows.get(slot), limits[tier], now)
        windows.set(slot, window)
        return quota
      }),
      peek: (tier, key): Effect.Effect<Quota> =>
        Effect.map(Clock.currentTimeMillis, (now) => peek(windows.get(keyOf(tier, key)), limits[tier], now))
    })
  })

export const layer = (limits: RateLimits): Layer.Layer<RateLimiter> => Layer.effect(RateLimiter, make(limits))
