import { Context, type Effect } from "effect"
import type { DeliveryId } from "./WebhookEvent.ts"

/** Whether a delivery is to be handled now. */
export type Claim =
  /** Handle it. No other claim succeeds before `until`, in milliseconds since 1970. */
  | { readonly _tag: "Claimed"; readonly until: number }
  /** It was handled before. */
  | { readonly _tag: "Handled" }
  /** Another claim is still valid, or the log is full. */
  | { readonly _tag: "Busy" }

/**
 * Remembers which deliveries were handled, so that none is handled twice (EVT-12). Implement this port to use your own
 * storage. Storage failures are defects.
 */
export class DeliveryLog extends Context.Service<
  DeliveryLog,
  {
    /**
     * Claims a delivery for some seconds, atomically: of concurrent claims in all processes that share the log, one is
     * `Claimed` and the others are `Busy`. A claim expires by itself, so a killed process does not block the delivery.
     */
    readonly claim: (id: DeliveryId, seconds: number) => Effect.Effect<Claim>
    /** Records that a delivery was handled. Later claims are `Handled`. */
    readonly complete: (id: DeliveryId) => Effect.Effect<void>
    /** Releases the claim that ends at `until`, so that the delivery can be claimed again. Other claims stay. */
    readonly release: (id: DeliveryId, until: number) => Effect.Effect<void>
  }
>()("@wcs/receiver/DeliveryLog") {}

/**
 * The shortest retention of handled deliveries, in seconds. The sender retries for 76 hours plus 10 %. Manual redrives
 * can come later.
 */
export const retentionSecondsLeast = 84 * 3600

/** The default retention: 30 days, to cover redrives. */
export const retentionSecondsDefault = 30 * 86_400

/** The retention in milliseconds, never shorter than the sender's retries. */
export const retentionMillis = (seconds: number = retentionSecondsDefault): number =>
  1000 * Math.max(retentionSecondsLeast, seconds)
