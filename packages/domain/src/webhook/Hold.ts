import type { Instant } from "../shared/Instant.ts"

/** A webhook that a worker holds: as long as it does, nobody else is handed deliveries of it. */
export interface Hold {
  readonly tenantId: string
  readonly webhookId: string
  /** The ids of its deliveries that the worker was handed and has not settled. */
  readonly underWay: ReadonlySet<string>
  /** How many more of them the worker would take. */
  readonly room: number
  /** When the worker was handed one of them last. */
  readonly servedAt: Instant
}

/** Whether a hold is to be prolonged when its holder claims: not each time, since that is written. */
export const isWorn = (heldUntil: Instant, now: Instant, holdMillis: number): boolean =>
  heldUntil <= now + 0.75 * holdMillis
