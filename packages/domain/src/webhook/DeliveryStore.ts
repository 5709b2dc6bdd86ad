import { Context, type Effect, type Option, type Result } from "effect"
import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { Stored } from "../resource/Resource.ts"
import type { Change } from "../resource/ResourceStore.ts"
import type { SeriesPage, SeriesSelection } from "../resource/Series.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Delivery, DeliveryDraft, DeliveryState } from "./Delivery.ts"
import type { EventAside, SetAside, Subscriber, WaitingEvent } from "./FanOut.ts"
import type { Hold } from "./Hold.ts"
import type { WebhookFields } from "./Webhook.ts"
import type { WebhookHealth } from "./WebhookHealth.ts"

/** A delivery that is due, with what is needed to attempt it. */
export interface ClaimedDelivery {
  readonly delivery: Delivery
  /** The webhook as it is now; none where it is deleted, and what is wrong with it where it cannot be read. */
  readonly webhook: Result.Result<Option.Option<WebhookFields>, unknown>
}

/** What a worker asks for: see `DeliveryStore.claim`. */
export interface Claim {
  readonly now: Instant
  /** The worker: a name that no other has. */
  readonly holder: string
  /** For how long it holds a webhook. */
  readonly holdMillis: number
  /** All that it holds. */
  readonly holds: ReadonlyArray<Hold>
  /** How many deliveries it would take, and how many of a webhook that it does not hold yet. */
  readonly limit: number
  readonly perWebhook: number
  /** Whether it would take webhooks that it does not hold yet. */
  readonly takesOn: boolean
}

/** What a worker gets. */
export interface Claimed {
  readonly claimed: ReadonlyArray<ClaimedDelivery>
  /** No later than when there is more for it, if nothing is begun or settled before; null where nothing is open. */
  readonly nextDueAt: Instant | null
  /** Whether others hold webhooks, where it holds none. */
  readonly isHeldByOthers: boolean
}

/** What has become of a claimed delivery. */
export interface Settlement {
  /** As it was handed out. */
  readonly claimed: ClaimedDelivery
  readonly delivery: Delivery
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
     * read, once the others have their deliveries. Where it dies with `StoreAway`, it is for now: the store is away, or so
     * many take it too long.
     */
    readonly fanOut: (
      request: { readonly now: Instant; readonly limit: number; readonly asideUntil: (at: Instant) => Instant },
      decide: (event: WaitingEvent, subscribers: ReadonlyArray<Subscriber>) => ReadonlyArray<DeliveryDraft>
    ) => Effect.Effect<{ readonly taken: number; readonly setAside: ReadonlyArray<SetAside> }>

    /** Sets an event aside that nobody has sent yet; one that somebody has is left alone. */
    readonly setAside: (tenantId: string, eventId: string, until: Instant) => Effect.Effect<void>

    /** The events that are set aside, of a tenant or null: of all, the oldest first, at most so many. */
    readonly listSetAside: (tenantId: string | null, limit: number) => Effect.Effect<ReadonlyArray<EventAside>>

    /**
     * Has events of a tenant taken again from the entry's moment on that are set aside until later, but not for good: the
     * one with the id or null: any, the oldest first, at most so many. Writes the audit entry where there are any, in the
     * same transaction. Answers how many.
     */
    readonly retrySetAside: (
      tenantId: string,
      eventId: string | null,
      limit: number,
      audit: AuditEntry
    ) => Effect.Effect<number>

    /** Writes one delivery, due at once, and the audit entry, in one transaction. */
    readonly begin: (draft: DeliveryDraft, audit: AuditEntry) => Effect.Effect<void>

    /**
     * Hands deliveries of all tenants that are due to a worker, fairly among webhooks, who has waited longest first: of
     * those that it holds as many as it has room for, and of those that nobody holds. From then on it holds the webhooks of
     * which something is under way: for `holdMillis`, and for as long again when it claims once a quarter of that is over
     * (`isWorn`); the others are given back. So a delivery is handed to two only where who was handed it first has not
     * claimed for three quarters of that: nothing more of what another holds by now is handed to him, and what he was
     * handed can be settled still.
     */
    readonly claim: (request: Claim) => Effect.Effect<Claimed>

    /**
     * Writes what has become of claimed deliveries, and folds those that count into the health of their webhooks by
     * `assess`, in their order, all in one transaction. One that is due at another time by now, or was attempted by another
     * since it was handed out, is left alone: an attempt of a number counts once. Answers the health of each webhook that
     * something counted for. The number of statements does not depend on how many there are.
     */
    readonly settle: (
      settlements: ReadonlyArray<Settlement>,
      assess: (health: WebhookHealth, succeeded: boolean) => WebhookHealth
    ) => Effect.Effect<ReadonlyArray<Assessed>>

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

    /** How many deliveries a redrive would choose at this moment, counted up to its limit. Reads only. */
    readonly countRedrive: (
      tenantId: string,
      webhookId: string,
      redrive: Redrive,
      now: Instant
    ) => Effect.Effect<number>

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
     * Reads a webhook and its health, calls `decide`, and writes what it says with its records, all in one transaction, or
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
