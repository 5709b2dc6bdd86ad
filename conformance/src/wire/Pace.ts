import { Clock, Effect } from "effect"
import type { Exchange } from "./Exchange.ts"

/** The last known state of a caller's limit. */
interface Quota {
  readonly remaining: number
  /** Unix milliseconds. */
  readonly resetAt: number
}

/** Smaller than any Unix time in seconds, larger than any number of seconds to wait. */
const smallestUnixSeconds = 1_000_000_000

const numberIn = (exchange: Exchange, name: string): number | undefined => {
  const text = exchange.answer?.headers[name]
  return text === undefined || !/^\d{1,12}(\.\d{1,6})?$/.test(text) ? undefined : Number(text)
}

/** The seconds to wait before the next call, from an answer; undefined if absent. */
export const retryAfterSeconds = (exchange: Exchange): number | undefined =>
  numberIn(exchange, "retry-after") ?? resetSeconds(exchange)

/** Both readings of `X-RateLimit-Reset` (RTL-03): the seconds left, or the Unix time of the reset. */
const resetSeconds = (exchange: Exchange): number | undefined => {
  const reset = numberIn(exchange, "x-ratelimit-reset")
  if (reset === undefined || reset < smallestUnixSeconds) return reset
  return Math.max(0, reset - (exchange.startedAt + exchange.millis) / 1000)
}

/**
 * Keeps calls below the limits that the deployment reports. Each caller and kind of call has its own budget, because §8
 * does not say which tier a call counts in.
 */
export const make = (secondsToWait: number) => {
  const quotas = new Map<string, Quota>()
  return {
    /** Waits if the last answer reported no calls left, within the allowed time. */
    before: Effect.fnUntraced(function* (budget: string) {
      const quota = quotas.get(budget)
      if (quota === undefined) return
      if (quota.remaining > 0) {
        quotas.set(budget, { ...quota, remaining: quota.remaining - 1 }) // other calls run concurrently
        return
      }
      const millis = quota.resetAt - (yield* Clock.currentTimeMillis)
      if (millis > 0 && millis <= secondsToWait * 1000) yield* Effect.sleep(millis)
    }),
    after: (budget: string, exchange: Exchange): void => {
      const remaining = numberIn(exchange, "x-ratelimit-remaining")
      const seconds = resetSeconds(exchange)
      if (remaining === undefined || seconds === undefined) return
      quotas.set(budget, { remaining, resetAt: exchange.startedAt + exchange.millis + seconds * 1000 })
    }
  }
}
