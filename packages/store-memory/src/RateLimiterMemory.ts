import {
  boundBy,
  peek,
  perMinute,
  RateLimiter,
  type RateLimits,
  take,
  type Window
} from "@wcs/domain/access/RateLimitTier"
import { Clock, Effect, Layer, Record } from "effect"

/**
 * Keys that a tier counts at a time: what bounds the memory that strangers can take by calling from many addresses.
 * Each tier has its own, so that they cannot push the windows of accounts out.
 */
export const maxKeys = 100_000

/** Windows by key, in the order in which they began. */
const makeWindows = () => {
  const windows = new Map<string, Window>()

  /** Room for one more. Of windows of one length what is over began before what is not, so that it goes first. */
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
      peek: (tier, key, own = null) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const { limit, windows } = tiers[tier]
          return peek(windows.get(key), boundBy(limit, own), now)
        })
    })
  })

export const layer = (limits: RateLimits): Layer.Layer<RateLimiter> => Layer.effect(RateLimiter, make(limits))
