import { Schema } from "effect"
import { EventKind } from "../event/EventKind.ts"
import { initialHealth, type WebhookHealth } from "../event/WebhookHealth.ts"
import * as CredentialType from "../holding/CredentialType.ts"
import { type Document, type Resource, type Stored, toDocument } from "../resource/Resource.ts"
import { time } from "../resource/ShownFields.ts"
import { type Instant, toRfc3339OrNull } from "../shared/Instant.ts"
import { equals } from "../shared/Json.ts"
import { line } from "../shared/Text.ts"
import { countedMax, type WebhookBacklog } from "./WebhookBacklog.ts"
import { KeptSecret, previousExpiresAt } from "./WebhookSecret.ts"
import { WebhookUrl } from "./WebhookUrl.ts"

const statuses = ["ACTIVE", "DISABLED", "AUTO_DISABLED"] as const

const jurisdictions = Schema.Array(Schema.Literals(CredentialType.jurisdictions)).check(
  Schema.isMaxLength(CredentialType.jurisdictions.length, {
    message: `must have at most ${CredentialType.jurisdictions.length} jurisdictions`
  })
)

/** The fields that a caller writes. */
const written = {
  name: line(200).annotateKey({ description: "Name for people. Lists search and sort by it." }),
  url: WebhookUrl.annotateKey({
    description: "Receiver of the deliveries: an https URL at a public address, unless the deployment allows others."
  }),
  events: Schema.Array(EventKind)
    .check(
      Schema.isMinLength(1, { message: "must have at least one kind" }),
      Schema.isUnique({ message: "must not name a kind twice" })
    )
    .annotateKey({ description: "Kinds of event that the webhook receives, from `GET /webhooks/events`." }),
  filters: Schema.optionalKey(
    Schema.Struct({
      credentialTypes: Schema.optionalKey(CredentialType.Codes).annotateKey({
        description: "Codes of credential types. If absent or empty, all types."
      }),
      jurisdictions: Schema.optionalKey(jurisdictions).annotateKey({
        description: "Jurisdictions of the credential. If absent or empty, all. A credential without one always passes."
      })
    })
  ).annotateKey({
    description: "Limits the events to some credentials. Events about other resources always pass."
  })
}

const status = Schema.Literals(statuses).annotate({
  description:
    "ACTIVE: receives deliveries. DISABLED: a caller disabled it. AUTO_DISABLED: the server disabled it after " +
    "failures or a 410. Deliveries are skipped until it is enabled again."
})

/** Delivery health. */
const health = {
  consecutiveFailures: Schema.Int.annotate({ description: "Failed attempts since the last success." }),
  lastSuccessAt: Schema.NullOr(time).annotate({
    description: "Last attempt with a 2xx answer. Null before the first."
  }),
  lastFailureAt: Schema.NullOr(time).annotate({ description: "Last failed attempt. Null before the first." }),
  lastFailure: Schema.NullOr(Schema.String).annotate({
    description:
      "Why the last failed attempt failed: `HTTP_` and the status of the answer, or the fault, as in the attempts of a " +
      "delivery. Null before the first."
  }),
  waiting: Schema.Int.annotate({
    description: `Deliveries that wait for an attempt. ${countedMax} means ${countedMax} or more.`
  }),
  exhausted: Schema.Int.annotate({
    description: `Deliveries that were given up and can be redriven. ${countedMax} means ${countedMax} or more.`
  })
}

/** A webhook as it is stored. */
export const WebhookFields = Schema.Struct({
  ...written,
  status,
  /** Kinds that a change removed. Earlier deliveries can still contain them. */
  formerEvents: Schema.optionalKey(Schema.Array(EventKind)),
  /** Newest first. */
  secrets: Schema.Array(KeptSecret)
})
export type WebhookFields = typeof WebhookFields.Type

/** A webhook as the API shows it. Of a secret it shows only the last four characters. */
export const WebhookView = Schema.Struct({
  ...written,
  status,
  delivery: Schema.Struct({
    signingSecretLastFour: Schema.String.annotate({
      description: "The last four characters of the present signing secret, to recognize it."
    }),
    previousSecretExpiresAt: Schema.NullOr(time).annotate({
      description: "Until this time deliveries are also signed with the previous secret; null when there is none."
    }),
    ...health
  }).annotate({ description: "Signing secret and health of the deliveries. Set by the server." })
})
export type WebhookView = typeof WebhookView.Type

/** The webhook resource (§2.2; DECISIONS.md#fields). */
export const Webhook = {
  type: "webhook",
  naming: { by: "minting", kind: "webhook" },
  collection: "webhooks",
  fields: WebhookFields,
  computed: [["status"], ["delivery"], ["signingSecret"], ["secrets"], ["formerEvents"]],
  fixed: [],
  defaults: [
    { path: ["status"], value: "ACTIVE" },
    { path: ["secrets"], value: [] }
  ],
  links: [],
  told: ["name", "url", "events", "filters", "status"],
  columns: {
    name: { path: ["name"], folded: true },
    status: { path: ["status"] }
  },
  filters: {
    status: { by: "equal", column: "status", among: statuses },
    query: { by: "words" }
  },
  searched: { names: [["name"]], ids: [] },
  sorts: { name: "name" }
} as const satisfies Resource<WebhookFields>

/** How the deliveries of a webhook go. */
export interface Sending {
  readonly health: WebhookHealth
  readonly backlog: WebhookBacklog
}

/** Before the first delivery. */
export const initialSending: Sending = { health: initialHealth, backlog: { waiting: 0, exhausted: 0 } }

/** The webhook as the API shows it at a time, with its health and backlog. */
export const documentAt = (
  stored: Stored<WebhookFields>,
  now: Instant,
  sending: Sending = initialSending
): Document<WebhookView> => {
  const { formerEvents: _, secrets, ...shown } = toDocument(Webhook, stored)
  return {
    ...shown,
    delivery: {
      signingSecretLastFour: secrets[0]?.lastFour ?? "",
      previousSecretExpiresAt: toRfc3339OrNull(previousExpiresAt(secrets, now)),
      ...sendingShown(sending)
    }
  }
}

/** The document with newer health and backlog. */
export const withSending = (document: Document<WebhookView>, sending: Sending): Document<WebhookView> => ({
  ...document,
  delivery: { ...document.delivery, ...sendingShown(sending) }
})

const sendingShown = ({
  backlog,
  health: { consecutiveFailures, lastFailure, lastFailureAt, lastSuccessAt }
}: Sending) => ({
  consecutiveFailures,
  lastSuccessAt: toRfc3339OrNull(lastSuccessAt),
  lastFailureAt: toRfc3339OrNull(lastFailureAt),
  lastFailure,
  ...backlog
})

/** The kinds of event that the deliveries of a webhook can contain. */
export const kindsOf = ({ events, formerEvents = [] }: Pick<WebhookFields, "events" | "formerEvents">) => [
  ...new Set([...events, ...formerEvents])
]

/** The webhook after an update, with the kinds that the update removed. */
export const remembering = (before: WebhookFields, { formerEvents: _, ...after }: WebhookFields): WebhookFields => {
  const formerEvents = kindsOf(before).filter((kind) => !after.events.includes(kind))
  return formerEvents.length === 0 ? after : { ...after, formerEvents }
}

/**
 * The kinds of event that a change directs: the added ones, or all if the change sets another receiver, filter or
 * secret, or enables the webhook. The caller needs READ of them (DECISIONS.md#webhooks).
 */
export const directedBy = (before: WebhookFields, after: WebhookFields): ReadonlyArray<EventKind> => {
  const isEnabled = before.status !== "ACTIVE" && after.status === "ACTIVE"
  const isRedirected = (["url", "filters", "secrets"] as const).some((field) => !equals(before[field], after[field]))
  return isEnabled || isRedirected ? kindsOf(after) : after.events.filter((kind) => !before.events.includes(kind))
}

/** The webhook, enabled. */
export const enabled = (webhook: WebhookFields): WebhookFields => ({ ...webhook, status: "ACTIVE" })

/** The webhook, disabled. It stays subscribed: its skipped deliveries can be redriven. */
export const disabled = (webhook: WebhookFields): WebhookFields => ({ ...webhook, status: "DISABLED" })

/** The webhook, disabled automatically. A manual disable is kept. */
export const autoDisabled = (webhook: WebhookFields): WebhookFields =>
  webhook.status === "ACTIVE" ? { ...webhook, status: "AUTO_DISABLED" } : webhook
