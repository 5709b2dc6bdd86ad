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

/** Whether forgetting the window would change no answer: nothing counts in it any more. */
const isOver = (window: Window, now: number): boolean => peek(window, 1, now).remaining === 1

/** Windows by key, in the order in which they began. */
const makeWindows = () => {
  const windows = new Map<string, Window>()

  /** Room for one more: what is over goes first, and without such the one that began first. */
  const makeRoom = (now: number): void => {
    for (const [key, window] of windows) {
      if (windows.size < maxKeys || !isOver(window, now)) break
      windows.delete(key)
    }
    for (const key of windows.keys()) {
      if (windows.size < maxKeys) break
      windows.delete(key)
    }
  }

  return {
    get: (key: string) => windows.get(key),
    set: (key: string, window: Window, now: number): void => {
      const before = windows.get(key)
      if (before === undefined) makeRoom(now)
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
        windows.set(slot, window, now)
        return quota
      }),
      peek: (tier, key): Effect.Effect<Quota> =>
        Effect.map(Clock.currentTimeMillis, (now) => peek(windows.get(keyOf(tier, key)), limits[tier], now))
    })
  })

export const layer = (limits: RateLimits): Layer.Layer<RateLimiter> => Layer.effect(RateLimiter, make(limits))
