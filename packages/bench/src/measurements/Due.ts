import { type AuditEntry, serverUrn } from "@wcs/domain/audit/AuditEntry"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import * as Id from "@wcs/domain/shared/Id"
import type { DeliveryDraft } from "@wcs/domain/webhook/Delivery"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { Webhook, type WebhookFields } from "@wcs/domain/webhook/Webhook"
import * as WebhookSecret from "@wcs/domain/webhook/WebhookSecret"
import { Clock, Effect, Layer, Result } from "effect"
import { idAt } from "../data/Ids.ts"

const tenantId = idAt("tenant", 0)

/** The body of each delivery. */
export const body = JSON.stringify({
  type: "credential.verified",
  timestamp: "2027-01-15T08:00:00.000Z",
  deliveryId: idAt("delivery", 0),
  eventId: idAt("event", 0),
  correlationId: "hire-4711",
  sequence: 3,
  data: {
    credential: {
      id: idAt("credential", 0),
      type: "credential",
      credentialType: "WWCC_NSW",
      owners: { worker: idAt("worker", 0), applicant: null }
    },
    verification: {
      eligibility: "MAY_ENGAGE",
      statusDetail: "VALID",
      expiryDate: "2029-01-15",
      errorMessage: null,
      requestId: "01KCZ00000000000000000000Z",
      trigger: "verify",
      verifiedAt: "2027-01-15T08:00:00.000Z"
    }
  }
})

const urlOf = (port: number): string => `http://127.0.0.1:${port}/hook`

/** Stores the nth webhook, active, with a port of this machine. */
export const putWebhook = Effect.fnUntraced(function* (index: number, port: number) {
  const store = yield* ResourceStore
  const now = yield* Clock.currentTimeMillis
  const id = idAt("webhook", index)
  const secrets = [yield* WebhookSecret.keep(id, yield* WebhookSecret.mint, now)]
  const fields: WebhookFields = { name: id, url: urlOf(port), events: ["webhook.test"], status: "ACTIVE", secrets }
  const next = { id, version: 1, createdAt: now, updatedAt: now, deletedAt: null, fields }
  yield* store.change(Webhook, tenantId, id, [], ({ current }) =>
    Result.succeed(
      current._tag === "Some"
        ? ({ _tag: "Unchanged", current: current.value } as const)
        : ({ _tag: "Changed", next, records: noRecords } as const)
    )
  )
})

/** A delivery that is due immediately. */
export const draftOf = Effect.fnUntraced(function* (webhookId: string) {
  const ids = yield* Id.Ids
  const createdAt = yield* Clock.currentTimeMillis
  const [id, eventId] = [yield* ids.mint("delivery"), yield* ids.mint("event")]
  return {
    id,
    tenantId,
    webhookId,
    eventId,
    subjectId: yield* ids.mint("credential"),
    kind: "credential.verified",
    correlationId: "hire-4711",
    body,
    state: "PENDING",
    createdAt,
    traceparent: null
  } satisfies DeliveryDraft
})

/** Writes a delivery into the store, as a test event does. `begun` gets its id before that. */
export const beginDelivery = Effect.fnUntraced(function* (
  webhookId: string,
  begun: (id: string) => unknown = () => undefined
) {
  const store = yield* DeliveryStore
  const ids = yield* Id.Ids
  const draft = yield* draftOf(webhookId)
  begun(draft.id)
  const audit: AuditEntry = {
    id: yield* ids.mint("audit"),
    account: serverUrn,
    bearer: null,
    operation: "UPDATE",
    action: "ping",
    entityType: "webhook",
    entityId: webhookId,
    requestId: "01KCZ00000000000000000000Z",
    at: draft.createdAt
  }
  yield* store.begin(draft, audit)
})

/** Wraps the store and reports each number of written deliveries. */
export const telling = (told: (delivered: number) => Effect.Effect<unknown>) =>
  Layer.effect(
    DeliveryStore,
    Effect.map(DeliveryStore, (store) =>
      DeliveryStore.of({
        ...store,
        settle: (settlements, now, assess) =>
          Effect.tap(store.settle(settlements, now, assess), () =>
            told(settlements.filter(({ delivery }) => delivery.state === "DELIVERED").length)
          )
      })
    )
  )
