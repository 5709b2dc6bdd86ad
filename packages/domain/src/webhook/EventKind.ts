import { Schema } from "effect"
import { EntityType, type Privilege, readOf } from "../access/Privilege.ts"

/** The kinds of event that a webhook can subscribe to, the entity type that each is about, and when one is sent. */
const catalogue = [
  { kind: "credential.created", entityType: "credential", description: "A credential was created." },
  {
    kind: "credential.updated",
    entityType: "credential",
    description: "A credential was changed, linked, unlinked or transferred."
  },
  {
    kind: "credential.verified",
    entityType: "credential",
    description: "A verification of a credential has finished, with any verdict."
  },
  {
    kind: "recruitmentCheck.completed",
    entityType: "credentialCheck",
    description: "A recruitment check was completed."
  },
  { kind: "fetchRequest.completed", entityType: "captureRequest", description: "A fetch request was completed." },
  { kind: "webhook.test", entityType: "webhook", description: "A test event of the ping call." }
] as const satisfies ReadonlyArray<{
  readonly kind: string
  readonly entityType: EntityType
  readonly description: string
}>

export type EventKind = (typeof catalogue)[number]["kind"]

export const EventKind = Schema.Literals(catalogue.map(({ kind }) => kind))

/** A kind of event as the wire shows it. */
export const EventKindFields = Schema.Struct({
  kind: EventKind,
  entityType: EntityType.annotate({
    description: "Entity type of the event. A subscription requires READ on this type, except for `webhook`."
  }),
  description: Schema.String
})

/** The catalogue as `GET /webhooks/events` answers it. */
export const shown: ReadonlyArray<typeof EventKindFields.Type> = catalogue

/**
 * The privileges that subscribing to kinds needs besides those on the webhook: READ on what each kind is about (§5.2,
 * item 7). Events about the webhook itself need nothing more.
 */
export const subscribingNeeds = (kinds: ReadonlyArray<EventKind>): ReadonlyArray<Privilege> =>
  catalogue.flatMap(({ entityType, kind }) =>
    entityType !== "webhook" && kinds.includes(kind) ? [readOf(entityType)] : []
  )
