import { Context, type Effect, type Option, type Result } from "effect"
import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { Change } from "../crud/ResourceStore.ts"
import type { WebhookHealth } from "../event/WebhookHealth.ts"
import type { Stored } from "../resource/Resource.ts"
import type { TimelinePage, TimelineSelection } from "../resource/Timeline.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Delivery, DeliveryDraft, DeliveryField, DeliveryState } from "./Delivery.ts"
import type { Exchange } from "./Exchange.ts"
import type { DeadLetter, FailedEvent, Subscriber, WaitingEvent } from "./FanOut.ts"
import type { WebhookFields } from "./Webhook.ts"
import type { WebhookBacklog } from "./WebhookBacklog.ts"

/** A webhook. */
export interface WebhookKey {
  readonly tenantId: string
  readonly webhookId: string
}

/** A webhook with deliveries that the worker has read. */
export interface KnownQueue extends WebhookKey {
  /** Ids of the deliveries that the worker has read and not settled. */
  readonly known: ReadonlySet<string>
  /** How many more deliveries the worker accepts. */
  readonly room: number
}

/** Parameters of `DeliveryStore.readDue`. */
export interface DueRequest {
  readonly now: Instant
  /** The partitions that the worker leases. The `queues` are in them. */
  readonly partitions: ReadonlyArray<number>
  readonly queues: ReadonlyArray<KnownQueue>
  /** The maximum number of further webhooks, and of deliveries of each. */
  readonly limit: number
  readonly perWebhook: number
}

/** Due deliveries of several webhooks. */
export interface Due {
  readonly deliveries: ReadonlyArray<Delivery>
  /** Whether the limit of further webhooks was reached, so that more of them may be due. */
  readonly isLimited: boolean
  /**
   * When to read again at the latest, unless deliveries are created or settled before; null when nothing else is open.
   * Webhooks without room do not count.
   */
  readonly nextDueAt: Instant | null
}

/** Webhooks by id: none when deleted, a failure when the row cannot be read. */
export type Webhooks = ReadonlyMap<string, Result.Result<Option.Option<WebhookFields>, unknown>>

/** The result of an attempt. */
export interface Settlement {
  /** The delivery as it was read. */
  readonly before: Delivery
  readonly delivery: Delivery
  /** What the attempt sent and got. Absent if there was no attempt. */
  readonly exchange?: Exchange
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

/** Stores deliveries. Infrastructure failures die. */
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
     * events taken, and the dead letters. Dies with `StoreUnavailable` when the store is unavailable or the batch takes
     * too long.
     */
    readonly fanOut: (
      request: { readonly now: Instant; readonly limit: number; readonly retryAt: (at: Instant) => Instant | null },
      decide: (event: WaitingEvent, subscribers: ReadonlyArray<Subscriber>) => ReadonlyArray<DeliveryDraft>
    ) => Effect.Effect<{ readonly taken: number; readonly deadLettered: ReadonlyArray<FailedEvent> }>

    /** Makes a pending event a dead letter until a time, or forever if null. A sent event is left unchanged. */
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

    /** Stores one delivery, due now, with the trace of the caller, and the audit entry, in one transaction. */
    readonly begin: (draft: DeliveryDraft, audit: AuditEntry) => Effect.Effect<void>

    /**
     * Returns due deliveries of webhooks in leased partitions, first due first: of each queue up to its room, without
     * those that it knows, and of further webhooks, longest waiting first. Writes nothing: the worker's lease keeps
     * others from reading the same deliveries, and the worker knows what it has read.
     */
    readonly readDue: (request: DueRequest) => Effect.Effect<Due>

    /** The current webhooks. */
    readonly webhooks: (keys: ReadonlyArray<WebhookKey>) => Effect.Effect<Webhooks>

    /**
     * Stores results, and folds those that count into the health of their webhooks with `assess`, in order and in one
     * transaction. Ignores a delivery that another worker attempted or that a redrive made due in the meantime. At
     * `now`, the webhooks queue behind those that have waited longer. Returns the health of each webhook that changed.
     * The number of statements does not depend on the number of settlements.
     */
    readonly settle: (
      settlements: ReadonlyArray<Settlement>,
      now: Instant,
      assess: (health: WebhookHealth, succeeded: boolean, delivery: Delivery) => WebhookHealth
    ) => Effect.Effect<ReadonlyArray<Assessed>>

    /** One delivery of the tenant. */
    readonly find: (tenantId: string, id: string) => Effect.Effect<Option.Option<Delivery>>

    /** What the latest attempts of a delivery sent and got, oldest first. */
    readonly exchanges: (tenantId: string, deliveryId: string) => Effect.Effect<ReadonlyArray<Exchange>>

    /** A page of a webhook's deliveries, or of all of the tenant when null, in order of creation. */
    readonly list: (
      tenantId: string,
      webhookId: string | null,
      selection: TimelineSelection<DeliveryField>
    ) => Effect.Effect<TimelinePage<Delivery>>

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

    /** The backlogs of webhooks by id. Reads at most `countedMax` index entries for each number. */
    readonly backlog: (
      tenantId: string,
      webhookIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, WebhookBacklog>>

    /** The ids of the tenant's active webhooks whose last attempt failed. */
    readonly failing: (tenantId: string) => Effect.Effect<ReadonlyArray<string>>

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
