import { Context } from "effect"
import type { Instant } from "../shared/Instant.ts"

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** Retry schedule and retention of deliveries (DECISIONS.md#webhooks). All times in milliseconds. */
export const DeliverySettings = Context.Reference<{
  /** The delay after each failure. After the last delay there is no retry. */
  readonly retryDelaysMillis: ReadonlyArray<number>
  /** How long finished deliveries are kept and can be redriven. */
  readonly retentionMillis: number
}>("@wcs/domain/DeliverySettings", {
  defaultValue: () => ({
    retryDelaysMillis: [
      5 * second,
      5 * minute,
      30 * minute,
      2 * hour,
      5 * hour,
      10 * hour,
      14 * hour,
      20 * hour,
      24 * hour
    ],
    retentionMillis: 30 * 24 * hour
  })
})

/** The maximum that jitter adds to a delay, so that retries after an outage do not coincide. */
const spread = 0.1

/** The longest `Retry-After` that is honoured, in milliseconds. */
export const longestRetryAfterMillis = 24 * hour

/**
 * When the next attempt is due after `failures` failures in a row; undefined after the last. `jitter` is from 0 to 1.
 * The next attempt is never earlier than `Retry-After` asks.
 */
export const nextAttemptAt = (
  retryDelaysMillis: ReadonlyArray<number>,
  failures: number,
  now: Instant,
  jitter: number,
  retryAfterMillis: number | null
): Instant | undefined => {
  const delay = retryDelaysMillis[failures - 1]
  if (delay === undefined) return undefined
  const asked = Math.min(retryAfterMillis ?? 0, longestRetryAfterMillis)
  return Math.ceil(now + Math.max(delay * (1 + spread * jitter), asked))
}
