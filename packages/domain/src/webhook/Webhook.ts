import { Schema } from "effect"
import * as CredentialType from "../credential/CredentialType.ts"
import { type Document, type Resource, type Stored, toDocument } from "../resource/Resource.ts"
import { type Instant, toRfc3339OrNull } from "../shared/Instant.ts"
import { line } from "../shared/Text.ts"
import { EventKind } from "./EventKind.ts"
import { untried, type WebhookHealth } from "./WebhookHealth.ts"
import { KeptSecret, previousExpiresAt } from "./WebhookSecret.ts"
import { WebhookUrl } from "./WebhookUrl.ts"

const statuses = ["ACTIVE", "DISABLED", "AUTO_DISABLED"] as const

const jurisdictions = Schema.Array(Schema.Literals(CredentialType.jurisdictions)).check(
  Schema.isMaxLength(CredentialType.jurisdictions.length, {
    message: `must have at most ${CredentialType.jurisdictions.length} jurisdictions`
  })
)

/** What a caller writes. */
const written = {
  name: line(200),
  url: WebhookUrl,
  events: Schema.Array(EventKind).check(
    Schema.isMinLength(1, { message: "must have at least one kind" }),
    Schema.isUnique({ message: "must not name a kind twice" })
  ),
  filters: Schema.optionalKey(
    Schema.Struct({
      credentialTypes: Schema.optionalKey(CredentialType.Codes),
      jurisdictions: Schema.optionalKey(jurisdictions)
    })
  )
}

const status = Schema.Literals(statuses)

const time = Schema.String.annotate({ format: "date-time" })

/** How deliveries have gone. */
const health = {
  consecutiveFailures: Schema.Int.annotate({ description: "Number of failed deliveries since the last success." }),
  lastSuccessAt: Schema.NullOr(time),
  lastFailureAt: Schema.NullOr(time)
}

/** A webhook as it is stored. */
export const WebhookFields = Schema.Struct({
  ...written,
  status,
  /** The newest first. */
  secrets: Schema.Array(KeptSecret)
})
export type WebhookFields = typeof WebhookFields.Type

/** A webhook as it is shown: of its secrets there is no more than a way to tell them apart. */
export const WebhookView = Schema.Struct({
  ...written,
  status,
  delivery: Schema.Struct({
    signingSecretLastFour: Schema.String,
    previousSecretExpiresAt: Schema.NullOr(time).annotate({
      description: "Until this time, deliveries are also signed with the previous secret. Null if there is none."
    }),
    ...health
  })
})
export type WebhookView = typeof WebhookView.Type

/** Where events are sent (§2.2; DECISIONS.md#fields). */
export const Webhook: Resource<WebhookFields> = {
  type: "webhook",
  naming: { by: "minting", kind: "webhook" },
  collection: "webhooks",
  fields: WebhookFields,
  computed: [["status"], ["delivery"], ["signingSecret"], ["secrets"]],
  fixed: [],
  defaults: [
    { path: ["status"], value: "ACTIVE" },
    { path: ["secrets"], value: [] }
  ],
  links: [],
  columns: {
    name: { path: ["name"], folded: true },
    status: { path: ["status"] }
  },
  filters: {
    status: { by: "equal", column: "status", among: statuses },
    query: { by: "prefix", columns: ["name"] }
  },
  sorts: { name: "name" }
}

/** A webhook as it reads at a moment, of which this health is known. */
export const documentAt = (
  stored: Stored<WebhookFields>,
  now: Instant,
  health: WebhookHealth = untried
): Document<WebhookView> => {
  const { secrets, ...shown } = toDocument(Webhook, stored)
  return {
    ...shown,
    delivery: {
      signingSecretLastFour: secrets[0]?.lastFour ?? "",
      previousSecretExpiresAt: toRfc3339OrNull(previousExpiresAt(secrets, now)),
      ...healthShown(health)
    }
  }
}

/** The document with another health: what is known of it by now. */
export const withHealth = (document: Document<WebhookView>, health: WebhookHealth): Document<WebhookView> => ({
  ...document,
  delivery: { ...document.delivery, ...healthShown(health) }
})

const healthShown = ({ consecutiveFailures, lastFailureAt, lastSuccessAt }: WebhookHealth) => ({
  consecutiveFailures,
  lastSuccessAt: toRfc3339OrNull(lastSuccessAt),
  lastFailureAt: toRfc3339OrNull(lastFailureAt)
})

/** Takes deliveries again. */
export const enabled = (webhook: WebhookFields): WebhookFields => ({ ...webhook, status: "ACTIVE" })

/** Takes none. It stays subscribed: what happens meanwhile can be redriven. */
export const disabled = (webhook: WebhookFields): WebhookFields => ({ ...webhook, status: "DISABLED" })

/** Takes none, since nobody listens; who has disabled it himself is not overruled. */
export const autoDisabled = (webhook: WebhookFields): WebhookFields =>
  webhook.status === "ACTIVE" ? { ...webhook, status: "AUTO_DISABLED" } : webhook
