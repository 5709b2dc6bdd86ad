import { deliveryTable, webhookTable } from "@wcs/api/ListTables"
import { NewerSurface } from "@wcs/api/NewerSurface"
import type { Forbidden } from "@wcs/domain/access/Privilege"
import { shown as eventKinds } from "@wcs/domain/event/EventKind"
import type { Collection } from "@wcs/domain/resource/Collection"
import { parseNone } from "@wcs/domain/resource/ListQuery"
import type { CollectionFull } from "@wcs/domain/resource/Resource"
import { Deliveries, RedriveRequest } from "@wcs/domain/webhook/Deliveries"
import type { WebhookView } from "@wcs/domain/webhook/Webhook"
import { type ShownOnce, Webhooks } from "@wcs/domain/webhook/Webhooks"
import { Effect, Redacted } from "effect"
import { handlersOf } from "../pipeline/Endpoints.ts"
import * as JsonBody from "../request/JsonBody.ts"
import { type OfOne, one, oneOf, recordHandlers, shownOf } from "./CollectionHandlers.ts"
import * as FileLists from "./FileLists.ts"
import { wholeList } from "./WholeList.ts"

type OfDelivery = OfOne & { readonly params: { readonly deliveryId: string } }

const readRedrive = JsonBody.readOptionalAs(RedriveRequest)

/** Adds the signing secret. No other code returns it. */
const withSecret = ({ document, signingSecret, ...shown }: ShownOnce) => ({
  ...shown,
  document: { ...document, signingSecret: Redacted.value(signingSecret) }
})

export const make = Effect.gen(function* () {
  const webhooks = yield* Webhooks
  const deliveries = yield* Deliveries
  const fileList = yield* FileLists.make
  const telling: Collection<WebhookView, CollectionFull, Forbidden> = {
    ...webhooks,
    create: (body) => Effect.map(webhooks.create(body), withSecret)
  }
  return handlersOf(NewerSurface, "webhooks", {
    list: fileList("webhooks", webhookTable, webhooks.list),
    ...recordHandlers(telling, "webhooks"),
    events: wholeList(eventKinds),
    rotate: (call: OfOne) => shownOf(call, Effect.map(webhooks.rotate(call.params.id), withSecret)),
    enable: (call: OfOne) => shownOf(call, webhooks.enable(call.params.id)),
    disable: (call: OfOne) => shownOf(call, webhooks.disable(call.params.id)),
    deliveries: (call: OfOne) =>
      fileList("deliveries", deliveryTable, (query) => deliveries.list(call.params.id, query))(call),
    search: fileList("deliveries", deliveryTable, deliveries.search),
    delivery: (call: OfDelivery) =>
      oneOf(
        call,
        Effect.andThen(
          Effect.fromResult(parseNone(call.query)),
          deliveries.read(call.params.id, call.params.deliveryId)
        )
      ),
    ping: (call: OfOne) => oneOf(call, deliveries.ping(call.params.id)),
    redrive: (call: OfOne) =>
      Effect.flatMap(readRedrive(call), ({ value, warnings }) =>
        Effect.map(deliveries.redrive(call.params.id, value), (document) => one(call, { document, warnings }))
      )
  })
})
