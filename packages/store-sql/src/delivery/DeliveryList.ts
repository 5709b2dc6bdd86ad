import type { TimelineSelection } from "@wcs/domain/resource/Timeline"
import type { Delivery, DeliveryField } from "@wcs/domain/webhook/Delivery"
import type { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { Effect } from "effect"
import { makeTimelinePage, type TimelineTable } from "../engine/TimelineTable.ts"
import { type DeliveryRow, deliveryOf, selectedOfDelivery } from "./DeliveryRows.ts"

const ofTenant: TimelineTable<DeliveryField, Omit<DeliveryRow, "position">, Delivery> = {
  name: "delivery",
  selected: selectedOfDelivery("r"),
  index: "delivery_of_tenant",
  fields: {
    eventId: { column: "event_id", index: "delivery_of_event" },
    correlationId: { column: "correlation_id", index: "delivery_of_correlation" },
    subjectId: { column: "subject_id", index: "delivery_of_subject" },
    state: { column: "state", index: "delivery_by_state" },
    event: { column: "kind", index: "delivery_of_kind" }
  },
  time: "created_at",
  decode: deliveryOf
}

const { state, event, ...others } = ofTenant.fields

/** Deliveries that have not arrived, by state and kind: the index of the state alone would be walked for a rare kind. */
const openOfTenant: typeof ofTenant = {
  ...ofTenant,
  fields: {
    ...others,
    event: { column: event.column, index: "delivery_open", within: "state", where: "r.state <> 'DELIVERED'" },
    state
  }
}

/** DELIVERED ones of a kind: most deliveries are, so that state alone would be walked for a rare kind. */
const arrivedOfTenant: typeof ofTenant = { ...ofTenant, fields: { ...others, event, state } }

const ofWebhook: TimelineTable<DeliveryField | "webhookId", Omit<DeliveryRow, "position">, Delivery> = {
  ...ofTenant,
  fields: {
    ...ofTenant.fields,
    state: { column: "state", index: "delivery_of_state", within: "webhookId" },
    event: { column: "kind", index: "delivery_of_webhook_kind", within: "webhookId" },
    webhookId: { column: "webhook_id", index: "delivery_of_webhook" }
  }
}

const { state: stateOfWebhook, event: eventOfWebhook, webhookId, ...othersOfWebhook } = ofWebhook.fields
const arrivedOfWebhook: typeof ofWebhook = {
  ...ofWebhook,
  fields: { ...othersOfWebhook, event: eventOfWebhook, state: stateOfWebhook, webhookId }
}

/** Reads pages of deliveries, of a webhook or of all. */
export const makeDeliveryList = Effect.gen(function* () {
  const pageOfTenant = yield* makeTimelinePage(ofTenant)
  const pageOfOpen = yield* makeTimelinePage(openOfTenant)
  const pageOfArrived = yield* makeTimelinePage(arrivedOfTenant)
  const pageOfWebhook = yield* makeTimelinePage(ofWebhook)
  const pageOfArrivedOfWebhook = yield* makeTimelinePage(arrivedOfWebhook)

  const list: DeliveryStore["Service"]["list"] = Effect.fn("DeliveryStore.list")((tenantId, webhookId, selection) => {
    const wantedIn = (asked: DeliveryField) => selection.conditions?.find(({ field }) => field === asked)?.value
    const ofKind = wantedIn("event") === undefined ? undefined : wantedIn("state")
    const isArrived = ofKind === "DELIVERED"
    if (webhookId === null) {
      const read = isArrived ? pageOfArrived : ofKind === undefined ? pageOfTenant : pageOfOpen
      return Effect.orDie(read(tenantId, selection))
    }
    const conditions = selection.conditions && [
      ...selection.conditions,
      { field: "webhookId", value: webhookId } as const
    ]
    return Effect.orDie(
      (isArrived ? pageOfArrivedOfWebhook : pageOfWebhook)(tenantId, {
        ...selection,
        conditions
      } satisfies TimelineSelection<DeliveryField | "webhookId">)
    )
  })
  return list
})
