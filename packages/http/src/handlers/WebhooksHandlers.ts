import { NewerSurface } from "@wcs/api/NewerSurface"
import type { Forbidden } from "@wcs/domain/access/Privilege"
import type { Collection, Shown } from "@wcs/domain/resource/Collection"
import { parseNone } from "@wcs/domain/resource/ListQuery"
import type { CollectionFull } from "@wcs/domain/resource/Resource"
import { Deliveries, RedriveRequest } from "@wcs/domain/webhook/Deliveries"
import { shown as eventKinds } from "@wcs/domain/webhook/EventKind"
import type { WebhookView } from "@wcs/domain/webhook/Webhook"
import { type ShownOnce, Webhooks } from "@wcs/domain/webhook/Webhooks"
import { Effect, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { refusing } from "../refusal/Refused.ts"
import * as JsonBody from "../request/JsonBody.ts"
import { collectionHandlers, crudHandlers, listHandler, one } from "./CollectionHandlers.ts"
import { wholeList } from "./WholeList.ts"

interface OfOne {
  readonly params: { readonly id: string }
}

const readRedrive = JsonBody.readOptionalAs(RedriveRequest)

/** Adds the signing secret. No other code returns it. */
const withSecret = ({ document, signingSecret, warnings }: ShownOnce) => ({
  document: { ...document, signingSecret: Redacted.value(signingSecret) },
  warnings
})

export const layer = HttpApiBuilder.group(
  NewerSurface,
  "webhooks",
  Effect.fn(function* (handlers) {
    const webhooks = yield* Webhooks
    const deliveries = yield* Deliveries
    const telling: Collection<WebhookView, CollectionFull, Forbidden> = {
      ...webhooks,
      create: (body) => Effect.map(webhooks.create(body), withSecret)
    }

    const rotate = ({ params }: OfOne) =>
      webhooks.rotate(params.id).pipe(
        Effect.flatMap((rotated) => one(withSecret(rotated))),
        refusing
      )
    const switchBy =
      (action: typeof webhooks.enable) =>
      ({ params }: OfOne) =>
        action(params.id).pipe(
          Effect.flatMap((shown: Shown<WebhookView>) => one(shown)),
          refusing
        )

    const ping = ({ params }: OfOne) =>
      deliveries.ping(params.id).pipe(
        Effect.flatMap((document) => one({ document, warnings: [] })),
        refusing
      )
    const delivery = ({ params }: { readonly params: { readonly id: string; readonly deliveryId: string } }) =>
      HttpServerRequest.ParsedSearchParams.pipe(
        Effect.flatMap((query) => Effect.fromResult(parseNone(query))),
        Effect.andThen(deliveries.read(params.id, params.deliveryId)),
        Effect.flatMap((document) => one({ document, warnings: [] })),
        refusing
      )
    const redrive = ({ params }: OfOne) =>
      readRedrive.pipe(
        Effect.flatMap(({ value, warnings }) =>
          Effect.flatMap(deliveries.redrive(params.id, value), (document) => one({ document, warnings }))
        ),
        refusing
      )

    return crudHandlers(handlers, collectionHandlers(telling, "webhooks"))
      .handle("events", () => wholeList(eventKinds))
      .handle("rotate", rotate)
      .handle("enable", switchBy(webhooks.enable))
      .handle("disable", switchBy(webhooks.disable))
      .handle("deliveries", ({ params }) => listHandler((query) => deliveries.list(params.id, query))())
      .handle("delivery", delivery)
      .handle("ping", ping)
      .handleRaw("redrive", redrive)
  })
)
