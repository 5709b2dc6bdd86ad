import { Context } from "effect"
import type { Instant } from "../shared/Instant.ts"

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** What a deployment decides for deliveries (DECISIONS.md#webhooks). All times in milliseconds. */
export const DeliverySettings = Context.Reference<{
  /** How long after each failure the next attempt is made; after the last of them there is none. */
  readonly retryDelaysMillis: ReadonlyArray<number>
  /** How long a delivery that is over is kept, and can be redriven. */
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

/** How much later than its delay an attempt is made at the most, so that those of one outage do not come at once. */
const spread = 0.1

/** What a receiver can ask for with `Retry-After` at the most, in milliseconds. */
export const longestRetryAfterMillis = 24 * hour

/**
 * When the next attempt is due after so many failures in a row, from 1; none after the last. `jitter` is from 0 to 1.
 * What the receiver asked for with `Retry-After` is not undercut.
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
