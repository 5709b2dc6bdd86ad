import { Schema } from "effect"

/** The kinds of event that a webhook can subscribe to (decisions, section 2), and when one is sent. */
const catalogue = [
  { kind: "credential.created", description: "A credential was created." },
  { kind: "credential.updated", description: "A credential was changed, linked, unlinked or transferred." },
  { kind: "credential.verified", description: "A verification of a credential has finished, whatever its verdict." },
  { kind: "recruitmentCheck.completed", description: "A recruitment check was completed." },
  { kind: "fetchRequest.completed", description: "A fetch request was completed." },
  { kind: "webhook.test", description: "Somebody tries out the webhook." }
] as const

export type EventKind = (typeof catalogue)[number]["kind"]

export const EventKind = Schema.Literals(catalogue.map(({ kind }) => kind))

/** A kind of event as the wire shows it. */
export const EventKindFields = Schema.Struct({ kind: EventKind, description: Schema.String })

/** The catalogue as `GET /webhooks/events` answers it. */
export const shown: ReadonlyArray<typeof EventKindFields.Type> = catalogue
