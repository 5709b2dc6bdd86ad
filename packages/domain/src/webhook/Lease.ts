import type { Instant } from "../shared/Instant.ts"

/** A worker's lease of a webhook. While it lasts, no other worker gets the webhook's deliveries. */
export interface Lease {
  readonly tenantId: string
  readonly webhookId: string
  /** Ids of the deliveries that the worker claimed and has not settled. */
  readonly unsettled: ReadonlySet<string>
  /** How many more deliveries the worker accepts. */
  readonly room: number
  /** When the worker last claimed a delivery of the webhook. */
  readonly servedAt: Instant
}

/** Whether a claim renews the lease. Not every claim does, because a renewal is a write. */
export const needsRenewal = (leasedUntil: Instant, now: Instant, leaseMillis: number): boolean =>
  leasedUntil <= now + 0.75 * leaseMillis
