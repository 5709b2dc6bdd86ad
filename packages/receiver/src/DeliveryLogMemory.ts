import { Clock, Effect, Layer } from "effect"
import { type Claim, DeliveryLog, retentionMillis } from "./DeliveryLog.ts"
import type { DeliveryId } from "./WebhookEvent.ts"

export interface DeliveryLogMemoryOptions {
  /** 30 days by default, at least 84 hours. */
  readonly retentionSeconds?: number
  /** Limits the remembered deliveries and the claims. The oldest deliveries are forgotten first. 100,000 by default. */
  readonly deliveriesMax?: number
}

/**
 * A log in the memory of this process. After a restart the log is empty, so a retry is handled again. For tests, and
 * for a single process with an idempotent handler.
 */
export const make = ({ deliveriesMax = 100_000, retentionSeconds }: DeliveryLogMemoryOptions = {}) =>
  Effect.sync(() => {
    const claims = new Map<DeliveryId, number>()
    /** When each delivery was handled, in that order. */
    const handled = new Map<DeliveryId, number>()
    const retention = retentionMillis(retentionSeconds)

    const forget = (now: number): void => {
      for (const [id, at] of handled) {
        if (handled.size <= deliveriesMax && now - at <= retention) break
        handled.delete(id)
      }
    }

    const dropLapsed = (now: number): void => {
      for (const [id, until] of claims) if (until <= now) claims.delete(id)
    }

    const claim = (id: DeliveryId, seconds: number, now: number): Claim => {
      forget(now)
      if (handled.has(id)) return { _tag: "Handled" }
      if (claims.size >= deliveriesMax) dropLapsed(now)
      const isTaken = (claims.get(id) ?? Number.NEGATIVE_INFINITY) > now
      if (isTaken || claims.size >= deliveriesMax) return { _tag: "Busy" }
      const until = now + seconds * 1000
      claims.set(id, until)
      return { _tag: "Claimed", until }
    }

    return DeliveryLog.of({
      claim: (id, seconds) => Effect.map(Clock.currentTimeMillis, (now) => claim(id, seconds, now)),
      complete: (id) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          claims.delete(id)
          handled.delete(id) // moves it to the end
          handled.set(id, now)
          forget(now)
        }),
      release: (id, until) =>
        Effect.sync(() => {
          if (claims.get(id) === until) claims.delete(id)
        })
    })
  })

/** @public */
export const layer = (options?: DeliveryLogMemoryOptions): Layer.Layer<DeliveryLog> =>
  Layer.effect(DeliveryLog, make(options))
