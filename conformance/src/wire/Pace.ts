import { Clock, Effect } from "effect"
import { type Exchange, statusOf } from "./Exchange.ts"

/** How a caller stood to a limit when it last heard of it. */
interface Quota {
  readonly remaining: number
  /** Unix milliseconds. */
  readonly resetAt: number
}

/** Seconds since 1970 are larger than this many seconds still to wait will ever be. */
const smallestUnixSeconds = 1_000_000_000

const numberIn = (exchange: Exchange, name: string): number | undefined => {
  const text = exchange.answer?.headers[name]
  return text === undefined || !/^\d{1,12}(\.\d{1,6})?$/.test(text) ? undefined : Number(text)
}

/** Seconds to wait before the next call, as an answer says; undefined where it does not. */
export const retryAfterSeconds = (exchange: Exchange): number | undefined =>
  numberIn(exchange, "retry-after") ?? resetSeconds(exchange)

/** Both readings of `X-RateLimit-Reset` (RTL-03): seconds still to wait, or the second at which it is over. */
const resetSeconds = (exchange: Exchange): number | undefined => {
  const reset = numberIn(exchange, "x-ratelimit-reset")
  if (reset === undefined || reset < smallestUnixSeconds) return reset
  return Math.max(0, reset - (exchange.startedAt + exchange.millis) / 1000)
}

/**
 * Keeps calls below the limits that the deployment itself tells. One budget for each caller and kind of call, since
 * which tier a call counts in is not shown (§8).
 */
export const make = (secondsToWait: number) => {
  const quotas = new Map<string, Quota>()
  return {
    /** Waits where the last answer said that nothing is left, as long as that takes no longer than is allowed. */
    before: Effect.fnUntraced(function* (budget: string) {
      const quota = quotas.get(budget)
      if (quota === undefined) return
      if (quota.remaining > 0) {
        quotas.set(budget, { ...quota, remaining: quota.remaining - 1 }) // others are under way at the same time
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
    },
    /** How long to wait before a call that was refused with 429 is sent again; undefined where it is not. */
    secondsToRetry: (exchange: Exchange): number | undefined => {
      const seconds = retryAfterSeconds(exchange)
      return statusOf(exchange) === 429 && seconds !== undefined && seconds <= secondsToWait ? seconds : undefined
    }
  }
}
