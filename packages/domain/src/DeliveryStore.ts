import { Context, type Effect, type Option, type Result } from "effect"
import type { Delivery, DeliveryDraft, DeliveryState } from "./Delivery.ts"
import type { SetAside, Subscriber, WaitingEvent } from "./FanOut.ts"
import type { Instant } from "./Instant.ts"
import type { Stored } from "./Resource.ts"
import type { Change } from "./ResourceStore.ts"
import type { SeriesPage, SeriesSelection } from "./Series.ts"
import type { AuditEntry } from "./Trail.ts"
import type { WebhookFields } from "./Webhook.ts"
import type { WebhookHealth } from "./WebhookHealth.ts"

/** A delivery that is due, with what is needed to attempt it. */
export interface ClaimedDelivery {
  readonly delivery: Delivery
  /** Proves that it is still held by who claimed it. */
  readonly lease: string
  /** The webhook as it is now; none where it is deleted, and what is wrong with it where it cannot be read. */
  readonly webhook: Result.Result<Option.Option<WebhookFields>, unknown>
}

/** What has become of a claimed delivery. */
export interface Settlement {
  readonly delivery: Delivery
  readonly lease: string
  /** Whether the attempt counts for the webhook's health, and how; null where it does not. */
  readonly succeeded: boolean | null
}

/** Which deliveries of a webhook are to be sent once more. */
export interface Redrive {
  /** Only these states; one that is due, or attempted at the moment, is none of them whatever its state. */
  readonly states: ReadonlyArray<DeliveryState>
  /** Begun at or after this moment. */
  readonly from: Instant | null
  /** Begun before this moment. */
  readonly to: Instant | null
  /** Only these ids; null: any. */
  readonly deliveryIds: ReadonlyArray<string> | null
  /** How many at most, the oldest first. */
  readonly limit: number
}

/** The health of a webhook after some attempts. */
export interface Assessed {
  readonly tenantId: string
  readonly webhookId: string
  readonly health: WebhookHealth
}

/** Keeps deliveries, and hands out those that are due. Infrastructure failures die. */
export class DeliveryStore extends Context.Service<
  DeliveryStore,
  {
    /**
     * Takes events of all tenants that nobody has sent yet, the oldest first, at most so many, and calls `decide` with
     * each and the webhooks that subscribe to its kind; writes the deliveries, and that the events are sent, in one
     * transaction. An event and a webhook have one delivery at most, whoever else is at it. `decide` is synchronous, has
     * no effects and may be called again. Answers how many events were taken.
     *
     * An event that cannot be read, or for which `decide` throws, keeps no other: it is set aside until `asideUntil` says
     * for its moment, and taken again then, after those that nobody has tried. So is one of which a subscriber cannot be
     * read, once the others have their deliveries. Where it dies with `StoreAway`, no event is to blame.
     */
    readonly fanOut: (
      request: { readonly now: Instant; readonly limit: number; readonly asideUntil: (at: Instant) => Instant },
      decide: (event: WaitingEvent, subscribers: ReadonlyArray<Subscriber>) => ReadonlyArray<DeliveryDraft>
    ) => Effect.Effect<{ readonly taken: number; readonly setAside: ReadonlyArray<SetAside> }>

    /** Sets an event aside that nobody has sent yet; one that somebody has is left alone. */
    readonly setAside: (tenantId: string, eventId: string, until: Instant) => Effect.Effect<void>

    /** Writes one delivery, due at once, and the audit entry, in one transaction. */
    readonly begin: (draft: DeliveryDraft, audit: AuditEntry) => Effect.Effect<void>

    /**
     * Takes deliveries of all tenants that are due, fairly among webhooks: of each at most so many as leave no more than
     * `perWebhook` of its deliveries claimed at once, whoever claimed them; who has waited longest has the first turn.
     * All who claim say the same `perWebhook`: who says more than another may find some of it only when a lease ends.
     * Each has the lease, and is due again `leaseMillis` later, should nobody settle it. No delivery is handed to two at
     * once. `nextDueAt` is when something may be claimed next if nothing is begun or settled before: what is claimed,
     * when its lease ends. Null where nothing is open.
     */
    readonly claim: (request: {
      readonly now: Instant
      readonly lease: string
      readonly leaseMillis: number
      readonly limit: number
      readonly perWebhook: number
    }) => Effect.Effect<{ readonly claimed: ReadonlyArray<ClaimedDelivery>; readonly nextDueAt: Instant | null }>

    /**
     * Writes what has become of claimed deliveries, and folds those that count into the health of their webhooks by
     * `assess`, in their order, all in one transaction. Those that another holds by now are left alone. Answers the
     * health of each webhook that something counted for. The number of statements does not depend on how many there are.
     */
    readonly settle: (
      settlements: ReadonlyArray<Settlement>,
      assess: (health: WebhookHealth, succeeded: boolean) => WebhookHealth
    ) => Effect.Effect<ReadonlyArray<Assessed>>

    /** Gives claimed deliveries back, due at once, as if they had not been claimed. */
    readonly release: (claimed: ReadonlyArray<ClaimedDelivery>, now: Instant) => Effect.Effect<void>

    /** One delivery of the tenant's. */
    readonly find: (tenantId: string, id: string) => Effect.Effect<Option.Option<Delivery>>

    /** A page of a webhook's deliveries, in the order of writing. */
    readonly list: (
      tenantId: string,
      webhookId: string,
      selection: SeriesSelection<"state">
    ) => Effect.Effect<SeriesPage<Delivery>>

    /**
     * Makes deliveries of a webhook due at once, PENDING and with no failures, their bodies and ids as they are: each
     * once however often it is chosen; and writes the audit entry, whose moment it is, all in one transaction. Answers
     * how many, and whether more would have matched than the limit.
     */
    readonly redrive: (
      tenantId: string,
      webhookId: string,
      redrive: Redrive,
      audit: AuditEntry
    ) => Effect.Effect<{ readonly redriven: number; readonly hasMore: boolean }>

    /** The health of webhooks; of one that is missing nothing was attempted. */
    readonly health: (
      tenantId: string,
      webhookIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, WebhookHealth>>

    /** Changes the health of a webhook, in one transaction; nothing where it was never attempted. */
    readonly changeHealth: (
      tenantId: string,
      webhookId: string,
      change: (health: WebhookHealth) => WebhookHealth
    ) => Effect.Effect<void>

    /**
     * Reads a webhook and its health, calls `decide`, and writes what it says with its trail, all in one transaction, or
     * changes nothing; nothing either where nothing has the id. Until it is written nothing counts for the health. `decide`
     * is synchronous, has no effects and may be called again. Answers whether the webhook was changed.
     */
    readonly changeWebhook: (
      tenantId: string,
      webhookId: string,
      decide: (webhook: Stored<WebhookFields>, health: WebhookHealth) => Change<WebhookFields>
    ) => Effect.Effect<boolean>

    /**
     * Forgets deliveries that are over and were begun before the moment, sent events from before it, and events from
     * before `asideBefore` that are set aside for good; events only if no delivery of theirs is left; at most so many of
     * each. Answers how many it forgot.
     */
    readonly forget: (request: {
      readonly before: Instant
      readonly asideBefore: Instant
      readonly limit: number
    }) => Effect.Effect<number>
  }
>()("@wcs/domain/DeliveryStore") {}
