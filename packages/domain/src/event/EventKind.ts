import { Schema } from "effect"
import { EntityType, type Privilege, readOf } from "../access/Privilege.ts"
import { readsOf } from "../resource/DerivedAnswer.ts"

/** The kinds of event, each with its entity type and when it is sent. */
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
    kind: "credential.expiring",
    entityType: "credential",
    description:
      "A credential of an engaged person expires soon: by default 60, 30 and 7 days before its last valid day."
  },
  {
    kind: "credential.expired",
    entityType: "credential",
    description:
      "A credential of an engaged person has expired, and again each week until the card changes, for at most 52 weeks by default."
  },
  {
    kind: "worker.erasing",
    entityType: "worker",
    description: "The retention of a worker who has left ends in 30 days. The personal data is erased then."
  },
  { kind: "worker.erased", entityType: "worker", description: "The personal data of a worker was erased." },
  {
    kind: "recruitmentCheck.completed",
    entityType: "credentialCheck",
    description: "A recruitment check was completed."
  },
  { kind: "fetchRequest.completed", entityType: "captureRequest", description: "A fetch request was completed." },
  {
    kind: "worker.complianceChanged",
    entityType: "complianceCheck",
    description: "The result of a worker in a compliance check has changed."
  },
  { kind: "webhook.test", entityType: "webhook", description: "A user sent a test to the webhook." }
] as const satisfies ReadonlyArray<{
  readonly kind: string
  readonly entityType: EntityType
  readonly description: string
}>

export type EventKind = (typeof catalogue)[number]["kind"]

/** All kinds of event. */
export const eventKinds = catalogue.map(({ kind }) => kind)

export const EventKind = Schema.Literals(eventKinds)

/** An event kind as the API shows it. */
export const EventKindFields = Schema.Struct({
  kind: EventKind.annotate({ description: "Name of the kind, for `events` of a webhook." }),
  entityType: EntityType.annotate({
    description:
      "The entity type of the event. A webhook with this kind needs READ on it, except for `webhook`. " +
      "`worker.complianceChanged` needs what an evaluation with exemptions needs."
  }),
  description: Schema.String.annotate({ description: "When the event is sent, in one sentence for people." })
})

/** The answer to `GET /webhooks/events`. */
export const shown: ReadonlyArray<typeof EventKindFields.Type> = catalogue

/**
 * The privileges that a call needs, besides those on webhooks, if it sends or shows events of these kinds: READ on each
 * entity type (§5.2, item 7). The result of a check needs those of an evaluation. Events about the webhook itself need
 * none.
 */
export const readsOfEvents = (kinds: ReadonlyArray<EventKind>): ReadonlyArray<Privilege> =>
  catalogue.flatMap(({ entityType, kind }) => {
    if (entityType === "webhook" || !kinds.includes(kind)) return []
    return kind === "worker.complianceChanged" ? readsOf("evaluationWithExemptions") : [readOf(entityType)]
  })
