import { Clock, Context, Data, Effect, Layer, Option, Schema } from "effect"
import { Caller } from "../access/Caller.ts"
import { type Forbidden, PrivilegeRules } from "../access/Privilege.ts"
import { actorOf, makeAudit } from "../audit/AuditEntry.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { eventKinds, readsOfEvents } from "../event/EventKind.ts"
import { VerificationSettings } from "../holding/VerificationSettings.ts"
import type { ShownPage } from "../resource/Collection.ts"
import { type Query, totalLimit } from "../resource/ListQuery.ts"
import { ResourceNotFound, requireId } from "../resource/Resource.ts"
import { time, typeField } from "../resource/ShownFields.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import * as Timeline from "../resource/Timeline.ts"
import { DeliveryId, Ids, idFormat, isId } from "../shared/Id.ts"
import { fromRfc3339, type Instant, timeFormat } from "../shared/Instant.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import * as Notifications from "../shared/Notifications.ts"
import { RequestId } from "../shared/RequestId.ts"
import { AddressGuard } from "./AddressGuard.ts"
import {
  type DeliveryDocument,
  DeliveryState,
  type DeliveryWithBody,
  deliveries,
  documentOf,
  withBody
} from "./Delivery.ts"
import { DeliveryStore } from "./DeliveryStore.ts"
import { testDelivery } from "./FanOut.ts"
import { kindsOf, Webhook } from "./Webhook.ts"

/** The webhook is disabled. Enable it first. */
export class WebhookInactive extends Data.TaggedError("WebhookInactive")<{ readonly webhookId: string }> {}

/** The webhook has no delivery with this id, or the delivery is past its retention. */
export class DeliveryNotFound extends Data.TaggedError("DeliveryNotFound")<{ readonly deliveryId: string }> {}

/** The maximum number of deliveries that one call redrives. */
export const redriveLimit = 1000
const idsMax = 500

const moment = time
  .check(Schema.makeFilter((text: string) => fromRfc3339(text) !== undefined))
  .annotate({ valueFormat: timeFormat })

/** Optional body of redrive: filters by time, state and id. */
export const RedriveRequest = Schema.Struct({
  states: Schema.optionalKey(
    Schema.Array(DeliveryState).check(
      Schema.isMinLength(1, { message: "must have at least one state" }),
      Schema.isUnique({ message: "must not name a state twice" })
    )
  ).annotateKey({
    description:
      "Only deliveries in these states. If absent: all failed and skipped ones, or with `deliveryIds` every state."
  }),
  from: Schema.optionalKey(moment).annotateKey({
    description: "Only deliveries created at or after this RFC 3339 time. If absent, no lower bound."
  }),
  to: Schema.optionalKey(moment).annotateKey({
    description: "Only deliveries created before this RFC 3339 time. If absent, no upper bound."
  }),
  deliveryIds: Schema.optionalKey(
    Schema.Array(DeliveryId).check(Schema.isMaxLength(idsMax, { message: `must have at most ${idsMax} ids` }))
  ).annotateKey({ description: "Only these deliveries of the webhook. If absent, all. Unknown ids match nothing." }),
  preview: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "true: only counts the deliveries that match. Nothing is sent." })
  )
})
export type RedriveRequest = typeof RedriveRequest.Type

/** Answer to redrive. */
export const Redriven = Schema.Struct({
  type: typeField("redrive"),
  webhookId: Schema.String.annotate({ description: "Id of the webhook, `whk_…`." }),
  redriven: Schema.Int.annotate({ description: "Deliveries that are sent again. Each keeps its id." }),
  matching: Schema.optionalKey(
    Schema.Int.annotate({
      description: `Only with preview: the number of deliveries that match, at most ${totalLimit}.`
    })
  ),
  hasMore: Schema.Boolean.annotate({
    description: `Whether more deliveries match. One call sends at most ${redriveLimit}.`
  })
})
export type Redriven = typeof Redriven.Type

/** The default states when a request names neither states nor ids. */
const failedStates: ReadonlyArray<DeliveryState> = ["FAILED_RETRYABLE", "EXHAUSTED", "SKIPPED_DISABLED"]
const everyState: ReadonlyArray<DeliveryState> = [...failedStates, "DELIVERED", "PENDING"]

const instantOf = (text: string | undefined): Instant | null =>
  text === undefined ? null : (fromRfc3339(text) ?? null)

/**
 * The delivery log of a webhook, its test ping and redrive (§6; DECISIONS.md#fields, DECISIONS.md#webhooks). All but the
 * ping fail with Forbidden if the caller may not read the entity types of the webhook's events, present and former.
 */
export class Deliveries extends Context.Service<
  Deliveries,
  {
    /** A page of the webhook's deliveries. */
    readonly list: (
      webhookId: string,
      query: Query
    ) => Effect.Effect<ShownPage<DeliveryDocument>, InvalidArgument | ResourceNotFound | Forbidden, Caller>
    /**
     * A page of the deliveries of all webhooks, deleted ones too. Fails with Forbidden if the caller may not read the
     * entity types of all kinds of event, or of the kind that the query names.
     */
    readonly search: (query: Query) => Effect.Effect<ShownPage<DeliveryDocument>, InvalidArgument | Forbidden, Caller>
    /**
     * Sends a `webhook.test` event to the webhook, even when it is disabled. Waits a limited time for the first attempt
     * and returns the delivery.
     */
    readonly ping: (
      webhookId: string
    ) => Effect.Effect<DeliveryDocument, InvalidArgument | ResourceNotFound, Caller | RequestId>
    /** One delivery of the webhook, which may be deleted, with its body, and what its attempts sent and got. */
    readonly read: (
      webhookId: string,
      deliveryId: string
    ) => Effect.Effect<DeliveryWithBody, InvalidArgument | ResourceNotFound | Forbidden | DeliveryNotFound, Caller>
    /**
     * Sends deliveries again, each at most once, with the same bytes and ids. A preview only counts them, writes no
     * audit entry, and also works for a disabled webhook.
     */
    readonly redrive: (
      webhookId: string,
      request: RedriveRequest
    ) => Effect.Effect<Redriven, InvalidArgument | ResourceNotFound | Forbidden | WebhookInactive, Caller | RequestId>
  }
>()("@wcs/domain/Deliveries") {}

export const make = Effect.gen(function* () {
  const ids = yield* Ids
  const { timeoutMillis } = yield* VerificationSettings
  const resources = yield* ResourceStore
  const rules = yield* PrivilegeRules
  const store = yield* DeliveryStore
  const guard = yield* AddressGuard
  const notifications = yield* Notifications.Notifications
  const auditEntry = makeAudit(ids)

  /** The webhook. Fails when it does not exist, or is deleted and `alsoDeleted` is not set. */
  const find = Effect.fnUntraced(function* (tenantId: string, id: string, alsoDeleted = false) {
    const found = yield* resources.find(Webhook, tenantId, yield* Effect.fromResult(requireId(Webhook, id)))
    if (Option.isNone(found) || !isVisible(found.value, alsoDeleted)) {
      return yield* new ResourceNotFound({ entityType: "webhook", id })
    }
    return found.value.fields
  })

  /** The webhook, for a call on its deliveries. Fails if the caller may not read what they tell of. */
  const findToRead = Effect.fnUntraced(function* (id: string, alsoDeleted = false) {
    const { account, privileges, tenantId } = yield* Caller
    const webhook = yield* find(tenantId, id, alsoDeleted)
    yield* Effect.fromResult(rules.authorize(account, privileges, readsOfEvents(kindsOf(webhook))))
    return webhook
  })

  /** The audit entry of the caller's action on the webhook. */
  const audited = Effect.fnUntraced(function* (webhookId: string, action: string) {
    const actor = actorOf(yield* Caller, yield* RequestId)
    const auditedAction = { operation: "UPDATE", action, entityType: "webhook", entityId: webhookId } as const
    return yield* auditEntry(actor, auditedAction, yield* Clock.currentTimeMillis)
  })

  /** The delivery after its first attempt, or as it is when the wait times out. */
  const attempted = (tenantId: string, deliveryId: string) => {
    const read = store.find(tenantId, deliveryId)
    return Notifications.until(
      notifications,
      Notifications.settled(deliveryId),
      Effect.map(
        read,
        Option.filter(({ state }) => state !== "PENDING")
      )
    ).pipe(
      Effect.timeoutOption(timeoutMillis),
      Effect.flatMap((found) => (Option.isSome(found) ? Effect.succeed(found) : read)),
      Effect.flatMap(Effect.fromOption),
      Effect.orDie
    )
  }

  return Deliveries.of({
    list: Effect.fn("Deliveries.list")(function* (webhookId, query) {
      const { tenantId } = yield* Caller
      const selection = yield* Effect.fromResult(Timeline.parse(deliveries, query))
      yield* findToRead(webhookId)
      return Timeline.shownPage(deliveries, selection, yield* store.list(tenantId, webhookId, selection), documentOf)
    }),
    search: Effect.fn("Deliveries.search")(function* (query) {
      const { account, privileges, tenantId } = yield* Caller
      const selection = yield* Effect.fromResult(Timeline.parse(deliveries, query))
      const named = selection.conditions?.find(({ field }) => field === "event")?.value
      const kinds = eventKinds.filter((kind) => named === undefined || kind === named)
      yield* Effect.fromResult(rules.authorize(account, privileges, readsOfEvents(kinds)))
      return Timeline.shownPage(deliveries, selection, yield* store.list(tenantId, null, selection), documentOf)
    }),
    ping: Effect.fn("Deliveries.ping")(function* (webhookId) {
      const { tenantId } = yield* Caller
      const { url } = yield* find(tenantId, webhookId)
      yield* guard.check(url)
      const audit = yield* audited(webhookId, "ping")
      const deliveryId = yield* ids.mint("delivery")
      const minted = { deliveryId, eventId: yield* ids.mint("event"), correlationId: audit.requestId }
      yield* store.begin(testDelivery({ tenantId, webhookId }, minted, audit.at), audit)
      yield* notifications.notify(Notifications.deliveryDue)
      return documentOf(yield* attempted(tenantId, deliveryId))
    }),
    read: Effect.fn("Deliveries.read")(function* (webhookId, deliveryId) {
      const { tenantId } = yield* Caller
      yield* findToRead(webhookId, true)
      if (!isId("delivery", deliveryId)) {
        return yield* new InvalidArgument({ field: "deliveryId", reason: `must be ${idFormat("delivery")}` })
      }
      const found = yield* store.find(tenantId, deliveryId)
      if (Option.isNone(found) || found.value.webhookId !== webhookId)
        return yield* new DeliveryNotFound({ deliveryId })
      return withBody(found.value, yield* store.exchanges(tenantId, deliveryId))
    }),
    redrive: Effect.fn("Deliveries.redrive")(function* (webhookId, request) {
      const { tenantId } = yield* Caller
      const { status } = yield* findToRead(webhookId)
      const { deliveryIds, from, preview, states, to } = request
      const chosen = {
        states: states ?? (deliveryIds === undefined ? failedStates : everyState),
        from: instantOf(from),
        to: instantOf(to),
        deliveryIds: deliveryIds ?? null,
        limit: redriveLimit
      }
      if (preview === true) {
        const now = yield* Clock.currentTimeMillis
        const matching = yield* store.countRedrive(tenantId, webhookId, { ...chosen, limit: totalLimit }, now)
        return {
          type: "redrive",
          webhookId,
          redriven: 0,
          matching,
          hasMore: matching > redriveLimit
        } satisfies Redriven
      }
      if (status !== "ACTIVE") return yield* new WebhookInactive({ webhookId })
      const done = yield* store.redrive(tenantId, webhookId, chosen, yield* audited(webhookId, "redrive"))
      if (done.redriven > 0) yield* notifications.notify(Notifications.deliveryDue)
      return { type: "redrive", webhookId, ...done } satisfies Redriven
    })
  })
})

export const layer = Layer.effect(Deliveries, make)
