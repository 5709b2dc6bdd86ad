import { Context, type Effect } from "effect"
import type { DeliveryId } from "./WebhookEvent.ts"

/** Whether a delivery is to be handled now. */
export type Claim =
  /** By the one who claimed, and by nobody else until the claim ends: at this moment, in milliseconds since 1970. */
  | { readonly _tag: "Claimed"; readonly until: number }
  /** It was handled before: there is nothing left to do. */
  | { readonly _tag: "Handled" }
  /** Another claim on it has not ended, or the log has no room: whether it will be handled is not known yet. */
  | { readonly _tag: "Busy" }

/**
 * Remembers which deliveries were handled, so that none is handled twice (EVT-12). It is a port: whoever keeps the log
 * elsewhere implements these three. What goes wrong with the storage is a defect.
 */
export class DeliveryLog extends Context.Service<
  DeliveryLog,
  {
    /**
     * Claims a delivery for so many seconds, in one atomic step: of any number of claims at once, in any number of
     * processes that share the log, one is `Claimed` and the others are `Busy`. A claim that was neither completed nor
     * released ends by itself, so that a process that was killed holds up nothing for longer.
     */
    readonly claim: (id: DeliveryId, seconds: number) => Effect.Effect<Claim>
    /** Remembers that a delivery was handled, durably where the log is; from now on its claims are `Handled`. */
    readonly complete: (id: DeliveryId) => Effect.Effect<void>
    /** Gives the claim that ends at `until` back: the delivery can be claimed at once. Any other claim stays. */
    readonly release: (id: DeliveryId, until: number) => Effect.Effect<void>
  }
>()("@wcs/receiver/DeliveryLog") {}

/**
 * For how long a handled delivery is remembered at the least, in seconds. The sender retries for 76 hours, and up to a
 * tenth longer; it redrives, by hand, whenever its operator likes.
 */
export const retentionSecondsLeast = 84 * 3600

/** For how long it is remembered unless more was asked for: 30 days, for the sake of redrives. */
export const retentionSecondsDefault = 30 * 86_400

/** What a log forgets by: never earlier than the sender's last retry. */
export const retentionMillis = (seconds: number = retentionSecondsDefault): number =>
  1000 * Math.max(retentionSecondsLeast, seconds)
