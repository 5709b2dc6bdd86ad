import { Context, type Effect } from "effect"
import type { Instant } from "../shared/Instant.ts"
import type { WebhookKey } from "./DeliveryStore.ts"

/** The work of all tenants that waits, for operators. Each number is at most `countedMost`, which means so many or more. */
export interface Backlog {
  /** Events without deliveries. Retrying and dead ones are dead letters. */
  readonly events: { readonly pending: number; readonly retrying: number; readonly dead: number }
  /** Open deliveries: due now, or later. */
  readonly deliveries: { readonly due: number; readonly later: number }
  /**
   * Open runs of verifications: due now, later, or waiting for a person. The latter are counted among the first
   * `countedMost` open runs.
   */
  readonly runs: { readonly due: number; readonly later: number; readonly review: number }
  /** Active webhooks whose last attempt failed. */
  readonly failingWebhooks: number
  /** Since when the first of them fails; null if there is none. */
  readonly failingSince: Instant | null
}

/** A count stops here, so that a large backlog does not slow down the store. */
export const countedMost = 10_000

/** An active webhook whose last attempt failed. */
export interface FailingWebhook extends WebhookKey {
  readonly name: string
  readonly consecutiveFailures: number
  readonly failingSince: Instant
}

/** The kinds of work of a tenant that can wait. */
export const queueNames = ["events", "deliveries", "verifications", "imports"] as const

/** How much work of a kind waits. `waiting` is at most `waitingMost`, which means so many or more. */
export interface QueueState {
  readonly waiting: number
  /** Since when, at least, the first of it could have been done; null if nothing is late. */
  readonly since: Instant | null
}

/** The work of one tenant that waits. */
export interface TenantBacklog {
  readonly queues: Readonly<Record<(typeof queueNames)[number], QueueState>>
  /** Events that could not be sent. Dead ones are never retried. */
  readonly deadLetters: { readonly retrying: number; readonly dead: number }
  /** The last day through which it was warned of cards that expire; null before the first round. */
  readonly warnedThrough: string | null
}

/** A count of one tenant stops here. */
export const waitingMost = 1000

/** Reads how much work waits. Infrastructure failures die. */
export class BacklogStore extends Context.Service<
  BacklogStore,
  {
    /** The backlog of all tenants. Reads at most `countedMost` rows for each number, and as many webhooks or queues. */
    readonly read: (now: Instant) => Effect.Effect<Backlog>
    /**
     * The backlog of one tenant. Reads at most `waitingMost` rows for each number. Pending events are those among the
     * newest `waitingMost` of the tenant.
     */
    readonly ofTenant: (tenantId: string, now: Instant) => Effect.Effect<TenantBacklog>
    /** The webhooks of all tenants that have failed for the longest time, at most `limit`. */
    readonly failing: (limit: number) => Effect.Effect<ReadonlyArray<FailingWebhook>>
  }
>()("@wcs/domain/BacklogStore") {}
