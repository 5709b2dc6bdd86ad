import { Clock, Context, Data, Effect, Layer, Option, Schema } from "effect"
import { Caller } from "../access/Caller.ts"
import { actorOf, makeAudit } from "../audit/AuditEntry.ts"
import type { ShownPage } from "../resource/Collection.ts"
import { type Query, totalLimit } from "../resource/ListQuery.ts"
import { ResourceNotFound, requireId } from "../resource/Resource.ts"
import { ResourceStore } from "../resource/ResourceStore.ts"
import * as Series from "../resource/Series.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import { DeliveryId, formOfId, Ids, isId } from "../shared/Id.ts"
import { fromRfc3339, type Instant, timeForm } from "../shared/Instant.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import * as Notices from "../shared/Notices.ts"
import { RequestId } from "../shared/RequestId.ts"
import { VerificationSettings } from "../verification/VerificationRun.ts"
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
import { Webhook } from "./Webhook.ts"

/** A webhook that takes no deliveries: enable it first. */
export class WebhookInactive extends Data.TaggedError("WebhookInactive")<{ readonly webhookId: string }> {}

/** The webhook has no delivery with this id, or it was forgotten. */
export class DeliveryNotFound extends Data.TaggedError("DeliveryNotFound")<{ readonly deliveryId: string }> {}

/** How many deliveries one call sends once more, and how many ids it can name. */
export const redriveLimit = 1000
const idsMax = 500

const moment = Schema.String.annotate({ format: "date-time" })
  .check(Schema.makeFilter((text: string) => fromRfc3339(text) !== undefined))
  .annotate({ form: timeForm })

/** The body of redrive, which may be left out: by time, state and id. */
export const RedriveRequest = Schema.Struct({
  states: Schema.optionalKey(
    Schema.Array(DeliveryState).check(
      Schema.isMinLength(1, { message: "must have at least one state" }),
      Schema.isUnique({ message: "must not name a state twice" })
    )
  ),
  from: Schema.optionalKey(moment),
  to: Schema.optionalKey(moment),
  deliveryIds: Schema.optionalKey(
    Schema.Array(DeliveryId).check(Schema.isMaxLength(idsMax, { message: `must have at most ${idsMax} ids` }))
  ),
  preview: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "true: only counts the matching deliveries and sends nothing." })
  )
})
export type RedriveRequest = typeof RedriveRequest.Type

/** What a redrive has begun. */
export const Redriven = Schema.Struct({
  type: Schema.Literal("redrive"),
  webhookId: Schema.String,
  redriven: Schema.Int.annotate({
    description: "Number of deliveries that are sent again, each with its original id."
  }),
  matching: Schema.optionalKey(
    Schema.Int.annotate({
      description: `Number of matching deliveries, at most ${totalLimit}. Present only with preview.`
    })
  ),
  hasMore: Schema.Boolean.annotate({
    description: `Whether more deliveries match. One call sends at most ${redriveLimit}.`
  })
})
export type Redriven = typeof Redriven.Type

/** What failed, where a call names neither states nor ids. */
const failedStates: ReadonlyArray<DeliveryState> = ["FAILED_RETRYABLE", "EXHAUSTED", "SKIPPED_DISABLED"]
const everyState: ReadonlyArray<DeliveryState> = [...failedStates, "DELIVERED", "PENDING"]

const instantOf = (text: string | undefined): Instant | null =>
  text === undefined ? null : (fromRfc3339(text) ?? null)

/** What was sent to webhooks, and sending it once more (§6; DECISIONS.md#fields, DECISIONS.md#webhooks). */
export class Deliveries extends Context.Service<
  Deliveries,
  {
    /** GET of a page of a webhook's deliveries. */
    readonly list: (
      webhookId: string,
      query: Query
    ) => Effect.Effect<ShownPage<DeliveryDocument>, InvalidArgument | ResourceNotFound, Caller>
    /**
     * Sends an event of kind `webhook.test` to the webhook, disabled or not, and waits for a while what comes of the
     * first attempt.
     */
    readonly ping: (
      webhookId: string
    ) => Effect.Effect<DeliveryDocument, InvalidArgument | ResourceNotFound, Caller | RequestId>
    /** GET of one delivery of a webhook, with its body. */
    readonly read: (
      webhookId: string,
      deliveryId: string
    ) => Effect.Effect<DeliveryWithBody, InvalidArgument | ResourceNotFound | DeliveryNotFound, Caller>
    /**
     * Sends deliveries once more, each at most once, their bytes and ids as they were. A preview counts them instead: it
     * changes nothing, leaves no audit entry, and works for a webhook that is disabled.
     */
    readonly redrive: (
      webhookId: string,
      request: RedriveRequest
    ) => Effect.Effect<Redriven, InvalidArgument | ResourceNotFound | WebhookInactive, Caller | RequestId>
  }
>()("@wcs/domain/Deliveries") {}

export const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const store = yield* DeliveryStore
  const guard = yield* AddressGuard
  const notices = yield* Notices.Notices
  const ids = yield* Ids
  const auditEntry = makeAudit(ids)
  const { patienceMillis } = yield* VerificationSettings

  /** The webhook, if it is there. */
  const find = Effect.fnUntraced(function* (tenantId: string, id: string) {
    const found = yield* resources.find(Webhook, tenantId, yield* Effect.fromResult(requireId(Webhook, id)))
    if (Option.isNone(found) || !isVisible(found.value, false)) {
      return yield* new ResourceNotFound({ entityType: "webhook", id })
    }
    return found.value.fields
  })

  const list: Deliveries["Service"]["list"] = Effect.fn("Deliveries.list")(function* (webhookId, query) {
    const { tenantId } = yield* Caller
    const selection = yield* Effect.fromResult(Series.parse(deliveries, query))
    yield* find(tenantId, webhookId)
    return Series.shownPage(deliveries, selection, yield* store.list(tenantId, webhookId, selection), documentOf)
  })

  /** What the caller does to a webhook now, for the audit history. */
  const audited = Effect.fnUntraced(function* (webhookId: string, action: string) {
    const actor = actorOf(yield* Caller, yield* RequestId)
    const auditedAction = { operation: "UPDATE", action, entityType: "webhook", entityId: webhookId } as const
    return yield* auditEntry(actor, auditedAction, yield* Clock.currentTimeMillis)
  })

  /** The delivery, once it was attempted; as it is where that takes longer than one is willing to wait. */
  const attempted = (tenantId: string, deliveryId: string) => {
    const read = store.find(tenantId, deliveryId)
    return Notices.until(
      notices,
      Notices.settled(deliveryId),
      Effect.map(
        read,
        Option.filter(({ state }) => state !== "PENDING")
      )
    ).pipe(
      Effect.timeoutOption(patienceMillis),
      Effect.flatMap((found) => (Option.isSome(found) ? Effect.succeed(found) : read)),
      Effect.flatMap(Effect.fromOption),
      Effect.orDie
    )
  }

  const ping: Deliveries["Service"]["ping"] = Effect.fn("Deliveries.ping")(function* (webhookId) {
    const { tenantId } = yield* Caller
    const { url } = yield* find(tenantId, webhookId)
    yield* guard.check(url)
    const audit = yield* audited(webhookId, "ping")
    const deliveryId = yield* ids.mint("delivery")
    const minted = { deliveryId, eventId: yield* ids.mint("event"), correlationId: audit.requestId }
    yield* store.begin(testDelivery({ tenantId, webhookId }, minted, audit.at), audit)
    yield* notices.tell(Notices.deliveryDue)
    return documentOf(yield* attempted(tenantId, deliveryId))
  })

  const redrive: Deliveries["Service"]["redrive"] = Effect.fn("Deliveries.redrive")(function* (webhookId, request) {
    const { tenantId } = yield* Caller
    const { status } = yield* find(tenantId, webhookId)
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
      return { type: "redrive", webhookId, redriven: 0, matching, hasMore: matching > redriveLimit } satisfies Redriven
    }
    if (status !== "ACTIVE") return yield* new WebhookInactive({ webhookId })
    const done = yield* store.redrive(tenantId, webhookId, chosen, yield* audited(webhookId, "redrive"))
    if (done.redriven > 0) yield* notices.tell(Notices.deliveryDue)
    return { type: "redrive", webhookId, ...done } satisfies Redriven
  })

  const read: Deliveries["Service"]["read"] = Effect.fn("Deliveries.read")(function* (webhookId, deliveryId) {
    const { tenantId } = yield* Caller
    yield* find(tenantId, webhookId)
    if (!isId("delivery", deliveryId)) {
      return yield* new InvalidArgument({ field: "deliveryId", reason: `must be ${formOfId("delivery")}` })
    }
    const found = yield* store.find(tenantId, deliveryId)
    if (Option.isNone(found) || found.value.webhookId !== webhookId) return yield* new DeliveryNotFound({ deliveryId })
    return withBody(found.value)
  })

  return Deliveries.of({ list, ping, read, redrive })
})

export const layer: Layer.Layer<
  Deliveries,
  never,
  ResourceStore | DeliveryStore | AddressGuard | Notices.Notices | Ids
> = Layer.effect(Deliveries, make)
