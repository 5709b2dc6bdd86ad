import { EventKind, EventKindFields } from "@wcs/domain/event/EventKind"
import { time } from "@wcs/domain/resource/ShownFields"
import { OperationDocument } from "@wcs/domain/service/Operation"
import { WebhookId } from "@wcs/domain/shared/Id"
import { Redriven, RedriveRequest } from "@wcs/domain/webhook/Deliveries"
import { DeliveryDocument, DeliveryState, DeliveryWithBody } from "@wcs/domain/webhook/Delivery"
import { Webhook, WebhookView } from "@wcs/domain/webhook/Webhook"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { crudEndpoints } from "../CrudGroup.ts"
import { documentOf, Location, Many, One, ResourceId, Whole } from "../Envelope.ts"
import { GuardOf, guard } from "../Guard.ts"
import { parameter, search, timelineParameters } from "../ListParameters.ts"
import { TableOf } from "../ListTable.ts"
import { deliveryTable, webhookTable } from "../ListTables.ts"
import { guarded } from "../Middleware.ts"
import { withOptionalBody } from "../openapi/OptionalBody.ts"
import { freshSessionOrToken, StepUpOf } from "../StepUpOf.ts"
import { comparesTag, showsTag, TagsOf } from "../TagsOf.ts"
import { everyBody, everyCall, wireErrors } from "../WireError.ts"

const { fields } = WebhookView

/** The response form of a webhook. */
export const WebhookDocument = documentOf("webhook", WebhookId, fields).annotate({ identifier: "Webhook" })

const { events, filters, name, url } = fields

const subscribing = "Each kind in `events` also requires READ on its entity type. See GET /webhooks/events."

const redirecting =
  "Each added kind also requires READ on its entity type. A change of `url` or `filters` requires it for all kinds."

/** What calls need that show events or send them again. */
const telling = "Also requires READ on the entity types of the webhook's `events`, present and former."

/** The body of create and replace. The server sets all other fields. */
const WebhookWrite = Schema.Struct({ name, url, events, filters }).annotate({ identifier: "WebhookWrite" })

/** The response of create and rotate, the only calls that return the secret. */
const WebhookWithSecret = documentOf("webhook", WebhookId, {
  ...fields,
  signingSecret: Schema.String.annotate({
    description: "`whsec_` and base64 of 32 bytes (Standard Webhooks). Returned only once."
  })
}).annotate({ identifier: "WebhookWithSecret" })

const Delivery = DeliveryDocument.annotate({ identifier: "Delivery" })

/** The query parameters of a list of deliveries. */
const deliveryParameters = {
  ...timelineParameters("started"),
  state: parameter("Exact match on the state.", DeliveryState),
  event: parameter("Exact match on the kind of event.", EventKind),
  eventId: parameter("Deliveries of the event with this id, one for each webhook."),
  correlationId: parameter("Deliveries that a call with this correlation id caused."),
  subjectId: parameter("Deliveries about the record with this id, such as a credential."),
  from: parameter("Earliest time of creation, RFC 3339, inclusive.", time),
  to: parameter("Latest time of creation, RFC 3339, exclusive.", time)
}

const acting = [wireErrors.INVALID_ARGUMENT, ...everyCall] as const
const changing = [wireErrors.PRECONDITION_FAILED, ...acting] as const

const { list, patch, read, remove, replace } = crudEndpoints(Webhook, {
  document: WebhookDocument,
  table: webhookTable,
  create: WebhookWrite,
  replace: WebhookWrite,
  createErrors: [],
  updateErrors: [],
  filters: {
    status: parameter("Exact match on the status."),
    failing: parameter(
      "true: only active webhooks whose last attempt failed.",
      Schema.Boolean.annotate({ default: false })
    ),
    query: search
  }
})

/** `/webhooks` (§4.2; DECISIONS.md#fields). */
export class WebhooksApi extends guarded(
  HttpApiGroup.make("webhooks").add(
    list,
    HttpApiEndpoint.post("create", "/webhooks", {
      payload: WebhookWrite,
      success: HttpApiSchema.WithHeaders(One(WebhookWithSecret).pipe(HttpApiSchema.status(201)), Location),
      error: [wireErrors.UNPROCESSABLE, ...everyBody, ...everyCall]
    })
      .annotate(OpenApi.Description, subscribing)
      .annotate(TagsOf, showsTag(Webhook))
      .annotate(GuardOf, guard("webhook", "CREATE"))
      .annotate(StepUpOf, freshSessionOrToken),
    HttpApiEndpoint.get("events", "/webhooks/events", {
      success: Whole(EventKindFields.annotate({ identifier: "EventKind" })),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(OpenApi.Summary, "List the kinds of events")
      .annotate(GuardOf, guard("webhook", "READ")),
    read,
    replace.annotate(OpenApi.Description, redirecting),
    patch.annotate(OpenApi.Description, redirecting),
    remove,
    HttpApiEndpoint.post("rotate", "/webhooks/:id/rotate", {
      params: ResourceId,
      success: One(WebhookWithSecret),
      error: [wireErrors.UNPROCESSABLE, ...changing]
    })
      .annotate(TagsOf, comparesTag)
      .annotate(OpenApi.Summary, "Rotate the signing secret of a webhook")
      .annotate(OpenApi.Description, telling)
      .annotate(GuardOf, guard("webhook", "UPDATE"))
      .annotate(StepUpOf, freshSessionOrToken),
    HttpApiEndpoint.post("ping", "/webhooks/:id/ping", {
      params: ResourceId,
      success: One(Delivery),
      error: acting
    })
      .annotate(OpenApi.Summary, "Send a test event to a webhook")
      .annotate(GuardOf, guard("webhook", "UPDATE", "intensive")),
    HttpApiEndpoint.get("deliveries", "/webhooks/:id/deliveries", {
      params: ResourceId,
      query: deliveryParameters,
      success: Many(Delivery),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(TableOf, deliveryTable)
      .annotate(OpenApi.Description, telling)
      .annotate(GuardOf, guard("webhook", "READ")),
    HttpApiEndpoint.get("search", "/deliveries", {
      query: deliveryParameters,
      success: Many(Delivery),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(TableOf, deliveryTable)
      .annotate(OpenApi.Summary, "List the deliveries of all webhooks")
      .annotate(
        OpenApi.Description,
        "Also of deleted webhooks. Also requires READ on the entity types of all kinds of event, or with `event` on that " +
          "of this kind."
      )
      .annotate(GuardOf, guard("webhook", "READ")),
    HttpApiEndpoint.get("operation", "/operation", {
      success: One(OperationDocument.annotate({ identifier: "Operation" })),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Read how the work of the organization goes")
      .annotate(
        OpenApi.Description,
        "The queues of the organization, dead letters, the newest seal of the audit log, and secrets and certificates " +
          "that expire or grow old. Those of an entity type also need READ of it, or are left out."
      )
      .annotate(GuardOf, guard("webhook", "READ", "intensive")),
    HttpApiEndpoint.get("delivery", "/webhooks/:id/deliveries/:deliveryId", {
      params: { ...ResourceId, deliveryId: Schema.String },
      success: One(DeliveryWithBody.annotate({ identifier: "DeliveryWithBody" })),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Read a delivery of a webhook")
      .annotate(OpenApi.Description, telling)
      .annotate(GuardOf, guard("webhook", "READ")),
    HttpApiEndpoint.post("redrive", "/webhooks/:id/redrive", {
      params: ResourceId,
      payload: RedriveRequest.annotate({
        identifier: "RedriveRequest"
      }),
      success: One(Redriven.annotate({ identifier: "Redriven" })),
      error: [wireErrors.UNPROCESSABLE, ...everyBody, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Send deliveries of a webhook again")
      .annotate(OpenApi.Description, telling)
      .annotate(OpenApi.Transform, withOptionalBody)
      .annotate(GuardOf, guard("webhook", "UPDATE", "intensive")),
    HttpApiEndpoint.post("disable", "/webhooks/:id/disable", {
      params: ResourceId,
      success: One(WebhookDocument),
      error: changing
    })
      .annotate(GuardOf, guard("webhook", "UPDATE"))
      .annotate(TagsOf, comparesTag),
    HttpApiEndpoint.post("enable", "/webhooks/:id/enable", {
      params: ResourceId,
      success: One(WebhookDocument),
      error: changing
    })
      .annotate(OpenApi.Description, telling)
      .annotate(GuardOf, guard("webhook", "UPDATE"))
      .annotate(TagsOf, comparesTag)
  )
) {}
