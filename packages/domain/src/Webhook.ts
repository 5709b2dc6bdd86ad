import { Schema } from "effect"
import * as CredentialType from "./CredentialType.ts"
import { EventKind } from "./EventKind.ts"
import { type Instant, toRfc3339OrNull } from "./Instant.ts"
import { type Document, type Resource, type Stored, toDocument } from "./Resource.ts"
import { line } from "./Text.ts"
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
const outcome = {
  consecutiveFailures: Schema.Int.annotate({ description: "How many deliveries have failed since one arrived." }),
  lastSuccessAt: Schema.NullOr(time),
  lastFailureAt: Schema.NullOr(time)
}

/** A webhook as it is stored. */
export const WebhookFields = Schema.Struct({
  ...written,
  status,
  delivery: Schema.Struct(outcome),
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
      description: "Until when deliveries are signed with the secret before this one, too; null where they are not."
    }),
    ...outcome
  })
})
export type WebhookView = typeof WebhookView.Type

/** Where events are sent (section 2.2; decisions, section 2). */
export const Webhook: Resource<WebhookFields> = {
  type: "webhook",
  naming: { by: "minting", kind: "webhook" },
  collection: "webhooks",
  fields: WebhookFields,
  computed: [["status"], ["delivery"], ["signingSecret"], ["secrets"]],
  fixed: [],
  defaults: [
    { path: ["status"], value: "ACTIVE" },
    { path: ["delivery"], value: { consecutiveFailures: 0, lastSuccessAt: null, lastFailureAt: null } },
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

/** A webhook as it reads at a moment. */
export const documentAt = (stored: Stored<WebhookFields>, now: Instant): Document<WebhookView> => {
  const { secrets, ...shown } = toDocument(Webhook, stored)
  const expiresAt = previousExpiresAt(secrets, now)
  return {
    ...shown,
    delivery: {
      signingSecretLastFour: secrets[0]?.lastFour ?? "",
      previousSecretExpiresAt: toRfc3339OrNull(expiresAt),
      ...shown.delivery
    }
  }
}

/** Takes deliveries again, and counts their failures anew. */
export const enabled = (webhook: WebhookFields): WebhookFields =>
  webhook.status === "ACTIVE"
    ? webhook
    : { ...webhook, status: "ACTIVE", delivery: { ...webhook.delivery, consecutiveFailures: 0 } }

/** Takes none. It stays subscribed: what happens meanwhile can be redriven. */
export const disabled = (webhook: WebhookFields): WebhookFields => ({ ...webhook, status: "DISABLED" })
