import { Context, type Effect, type Option, type Result } from "effect"
import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { Stored } from "../resource/Resource.ts"
import type { Change } from "../resource/ResourceStore.ts"
import type { SeriesPage, SeriesSelection } from "../resource/Series.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Delivery, DeliveryDraft, DeliveryState } from "./Delivery.ts"
import type { DeadLetter, FailedEvent, Subscriber, WaitingEvent } from "./FanOut.ts"
import type { Lease } from "./Lease.ts"
import type { WebhookFields } from "./Webhook.ts"
import type { WebhookHealth } from "./WebhookHealth.ts"

/** A due delivery with its webhook. */
export interface ClaimedDelivery {
  readonly delivery: Delivery
  /** The current webhook; none when it is deleted, a failure when its row cannot be read. */
  readonly webhook: Result.Result<Option.Option<WebhookFields>, unknown>
}

/** Parameters of `DeliveryStore.claim`. */
export interface Claim {
  readonly now: Instant
  /** The unique id of the worker. */
  readonly holder: string
  /** How long a lease lasts. */
  readonly leaseMillis: number
  /** All leases of the worker. */
  readonly leases: ReadonlyArray<Lease>
  /** The maximum number of deliveries to return: in all, and of a webhook that the worker does not lease yet. */
  readonly limit: number
  readonly perWebhook: number
  /** Whether the worker accepts new leases. */
  readonly acquires: boolean
}

/** Result of a claim. */
export interface Claimed {
  readonly claimed: ReadonlyArray<ClaimedDelivery>
  /**
   * When to claim again at the latest, unless deliveries are created or settled before; null when no delivery is open.
   */
  readonly nextDueAt: Instant | null
  /** Whether other workers lease webhooks while this worker leases none. */
  readonly isLeasedByOthers: boolean
}

/** The result of a claimed delivery. */
export interface Settlement {
  /** The delivery as it was claimed. */
  readonly claimed: ClaimedDelivery
  readonly delivery: Delivery
  /** How the attempt counts for the webhook's health; null when it does not count. */
  readonly succeeded: boolean | null
}

/** Which deliveries of a webhook to send again. */
export interface Redrive {
  /** Only these states. Deliveries that are due or in flight never match. */
  readonly states: ReadonlyArray<DeliveryState>
  /** Created at or after this time. */
  readonly from: Instant | null
  /** Created before this time. */
  readonly to: Instant | null
  /** Only these ids; null: any. */
  readonly deliveryIds: ReadonlyArray<string> | null
  /** The maximum number of deliveries to redrive, oldest first. */
  readonly limit: number
}

/** The health of a webhook after its attempts were settled. */
export interface Assessed {
  readonly tenantId: string
  readonly webhookId: string
  readonly health: WebhookHealth
}

/** Stores deliveries and leases due ones to workers. Infrastructure failures die. */
export class DeliveryStore extends Context.Service<
  DeliveryStore,
  {
    /**
     * Takes up to `limit` pending events of all tenants, oldest first, and calls `decide` with each event and the
     * webhooks that subscribe to its kind. Stores the deliveries and marks the events as sent, in one transaction. Each
     * event and webhook pair gets at most one delivery, also with concurrent callers. `decide` is synchronous, has no
     * effects and may be called again. An event that cannot be read, or for which `decide` throws, never blocks others:
     * it becomes a dead letter until `retryAt` and is then taken after the pending ones, or never if null. The same
     * happens when a subscriber cannot be read, after the other subscribers got their deliveries. Returns the number of
     * events taken, and the dead letters. Dies with `StoreAway` when the store is unavailable or the batch takes too
     * long.
     */
    readonly fanOut: (
      request: { readonly now: Instant; readonly limit: number; readonly retryAt: (at: Instant) => Instant | null },
      decide: (event: WaitingEvent, subscribers: ReadonlyArray<Subscriber>) => ReadonlyArray<DeliveryDraft>
    ) => Effect.Effect<{ readonly taken: number; readonly deadLettered: ReadonlyArray<FailedEvent> }>

    /** Makes a pending event a dead letter until a time, or for ever if null. A sent event is left unchanged. */
    readonly deadLetter: (tenantId: string, eventId: string, until: Instant | null) => Effect.Effect<void>

    /** Dead letters of one tenant, or of all tenants when null, oldest first. */
    readonly listDeadLetters: (tenantId: string | null, limit: number) => Effect.Effect<ReadonlyArray<DeadLetter>>

    /**
     * Makes dead letters of a tenant due at the time of the audit entry: the one with the id, or any when null, oldest
     * first. Skips those that are never retried. Stores the audit entry in the same transaction when there are any.
     * Returns how many were changed.
     */
    readonly retryDeadLetters: (
      tenantId: string,
      eventId: string | null,
      limit: number,
      audit: AuditEntry
    ) => Effect.Effect<number>

    /** Stores one delivery, due now, and the audit entry, in one transaction. */
    readonly begin: (draft: DeliveryDraft, audit: AuditEntry) => Effect.Effect<void>

    /**
     * Returns due deliveries of all tenants, longest-waiting webhook first, and leases their webhooks to the worker.
     * Considers unleased webhooks, and those that the worker leases, up to the `room` of each lease. Renews leases with
     * unsettled deliveries when `needsRenewal`, and releases the others. A worker that stops claiming loses its leases
     * after at least three quarters of `leaseMillis`. Another worker may then repeat its attempts. The first worker
     * gets no more of those webhooks, but may still settle what it claimed.
     */
    readonly claim: (request: Claim) => Effect.Effect<Claimed>

    /**
     * Stores the results of claimed deliveries, and folds those that count into the health of their webhooks with
     * `assess`, in order and in one transaction. Ignores a delivery that another worker attempted or that a redrive
     * made due in the meantime. Returns the health of each webhook that changed. The number of statements does not
     * depend on the number of settlements.
     */
    readonly settle: (
      settlements: ReadonlyArray<Settlement>,
      assess: (health: WebhookHealth, succeeded: boolean) => WebhookHealth
    ) => Effect.Effect<ReadonlyArray<Assessed>>

    /** One delivery of the tenant. */
    readonly find: (tenantId: string, id: string) => Effect.Effect<Option.Option<Delivery>>

    /** A page of a webhook's deliveries, in order of creation. */
    readonly list: (
      tenantId: string,
      webhookId: string,
      selection: SeriesSelection<"state">
    ) => Effect.Effect<SeriesPage<Delivery>>

    /**
     * Makes matching deliveries due now: PENDING, without failures, with the same body and id. Stores the audit entry
     * in the same transaction; its time is the due time. Returns how many were changed, and whether more match than the
     * limit.
     */
    readonly redrive: (
      tenantId: string,
      webhookId: string,
      redrive: Redrive,
      audit: AuditEntry
    ) => Effect.Effect<{ readonly redriven: number; readonly hasMore: boolean }>

    /** How many deliveries a redrive would match, up to its limit. Read-only. */
    readonly countRedrive: (
      tenantId: string,
      webhookId: string,
      redrive: Redrive,
      now: Instant
    ) => Effect.Effect<number>

    /** The health of webhooks by id. Webhooks without attempts are missing. */
    readonly health: (
      tenantId: string,
      webhookIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, WebhookHealth>>

    /** Changes the health of a webhook in one transaction. Does nothing when the webhook has no attempts. */
    readonly changeHealth: (
      tenantId: string,
      webhookId: string,
      change: (health: WebhookHealth) => WebhookHealth
    ) => Effect.Effect<void>

    /**
     * Reads a webhook and its health, calls `decide` and stores its decision with its records, in one transaction. Does
     * nothing when the webhook does not exist. The health does not change meanwhile. `decide` is synchronous, has no
     * effects and may be called again. Returns whether the webhook was changed.
     */
    readonly changeWebhook: (
      tenantId: string,
      webhookId: string,
      decide: (webhook: Stored<WebhookFields>, health: WebhookHealth) => Change<WebhookFields>
    ) => Effect.Effect<boolean>

    /**
     * Deletes finished deliveries and sent events that were created before `before`, and dead letters that are never
     * retried and were created before `deadBefore`. Keeps events that still have deliveries. Deletes at most `limit` of
     * each. Returns how many were deleted.
     */
    readonly forget: (request: {
      readonly before: Instant
      readonly deadBefore: Instant
      readonly limit: number
    }) => Effect.Effect<number>
  }
>()("@wcs/domain/DeliveryStore") {}
