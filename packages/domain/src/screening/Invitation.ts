import { Data, type Effect, Result, Schema } from "effect"
import type { Caller } from "../access/Caller.ts"
import type { Creating, ReferencesRule, Rules, Updating } from "../crud/GroupRules.ts"
import type { LinkNotFound } from "../crud/Links.ts"
import type { HoldingsOf } from "../crud/ResourceStore.ts"
import type { Resources } from "../crud/Resources.ts"
import type { EventDraft } from "../event/EventDraft.ts"
import { causeOf, type InvitationReference, type MessageDraft, type PersonalKind } from "../event/MessageDraft.ts"
import type { Holdings } from "../holding/Holdings.ts"
import type { OwnerReference } from "../ownership/Ownership.ts"
import type { Collection, Shown } from "../resource/Collection.ts"
import { enumeration } from "../resource/Enumeration.ts"
import type { PreconditionFailed } from "../resource/Precondition.ts"
import { type Resource, type ResourceNotFound, type Stored, toDocument } from "../resource/Resource.ts"
import { time } from "../resource/ShownFields.ts"
import { isLapsed, type Moment } from "../shared/CalendarDay.ts"
import { CalendarDate, dayAfter, toRfc3339 } from "../shared/Instant.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import { equals, type JsonObject, put } from "../shared/Json.ts"
import type { RequestId } from "../shared/RequestId.ts"
import { line } from "../shared/Text.ts"
import type { Requirements } from "./ScreeningPackage.ts"
import { progressOf, requiredTypes } from "./ScreeningProgress.ts"

/**
 * Rules that recruitment checks and fetch requests share: a person is asked for something within a number of days.
 *
 * Holdings only move the status forward. The first requirement met makes IN_PROGRESS; all met at the same time make
 * COMPLETED. Losing a credential or an exemption changes nothing. COMPLETED and CANCELLED are final.
 */
export const statuses = ["INITIATED", "SENT", "IN_PROGRESS", "COMPLETED", "EXPIRED", "CANCELLED"] as const
export type Status = (typeof statuses)[number]

/**
 * The statuses that wait for the person. EXPIRED is not stored: an open invitation after its `expiryDate` reads as
 * EXPIRED.
 */
export const openStatuses = ["INITIATED", "SENT", "IN_PROGRESS"] as const satisfies ReadonlyArray<Status>

/** The actions besides updates, by their names in the audit log. */
export const actions = ["resend", "remind", "cancel"] as const
export type Action = (typeof actions)[number]

/**
 * The transition table: the next status for each action and status; `null` if refused. Cancelling a cancelled
 * invitation changes nothing.
 */
export const transitions: Readonly<Record<Action, Readonly<Record<Status, Status | null>>>> = {
  resend: {
    INITIATED: "SENT",
    SENT: "SENT",
    IN_PROGRESS: "IN_PROGRESS",
    COMPLETED: null,
    EXPIRED: "SENT",
    CANCELLED: null
  },
  remind: {
    INITIATED: "SENT",
    SENT: "SENT",
    IN_PROGRESS: "IN_PROGRESS",
    COMPLETED: null,
    EXPIRED: null,
    CANCELLED: null
  },
  cancel: {
    INITIATED: "CANCELLED",
    SENT: "CANCELLED",
    IN_PROGRESS: "CANCELLED",
    COMPLETED: null,
    EXPIRED: "CANCELLED",
    CANCELLED: "CANCELLED"
  }
}

export const minExpiryDays = 1
export const maxExpiryDays = 90

/** The fields that a caller sets. */
export const asked = {
  /** The message to the person. */
  message: Schema.optionalKey(line(2000)).annotateKey({
    description:
      "Text for the person. It is a part of the e-mails about the request, if the organization sends any (`PUT /message-settings`)."
  }),
  expiryDays: Schema.Int.check(Schema.isBetween({ minimum: minExpiryDays, maximum: maxExpiryDays })).annotate({
    description: "How many days the person has to respond; 14 by default.",
    valueFormat: `a whole number from ${minExpiryDays} to ${maxExpiryDays}`
  })
}

/** The fields that the server sets. */
export const kept = {
  status: enumeration("InvitationStatus", statuses).annotateKey({
    description:
      "The status today. INITIATED: no message was sent, as far as is known. SENT: one was. IN_PROGRESS: the person has met at least one requirement. COMPLETED: the person met all requirements at the same time; this is final. EXPIRED: the expiryDate has passed; resend or a higher expiryDays opens the item again."
  }),
  /** The last day to respond. Absent if the invitation is COMPLETED or CANCELLED. */
  expiryDate: Schema.optionalKey(CalendarDate).annotateKey({
    description:
      "Last day to respond: `expiryDays` after the creation or the last resend. " +
      "Absent if the item is COMPLETED or CANCELLED."
  }),
  sentAt: Schema.optionalKey(
    time.annotate({
      description:
        "When the caller last recorded a sent message. If the service sends the first message, when the mail server took it. " +
        "Absent before the first."
    })
  ),
  remindedAt: Schema.optionalKey(
    time.annotate({
      description:
        "When the caller last recorded a reminder, or the mail server took one that the service sent by itself. Absent before " +
        "the first."
    })
  )
}

/** All fields of an invitation. */
export const fields = { ...asked, ...kept }
const Invitation = Schema.Struct(fields)
export type Invitation = typeof Invitation.Type

/** The parts of a resource definition that both share. */
export const computed = Object.keys(kept).map((name) => [name])
export const personal = [{ path: ["message"] }] as const
export const defaults = [
  { path: ["expiryDays"], value: 14 },
  { path: ["status"], value: "INITIATED" }
] as const
export const columns = { status: { path: ["status"] }, expiry_date: { path: ["expiryDate"] } } as const
export const filters = {
  status: { by: "lapsing", column: "status", until: "expiry_date", lapsed: "EXPIRED", among: statuses },
  expiringBefore: { by: "before", column: "expiry_date" }
} as const
export const sorts = { expiryDate: "expiry_date" } as const

/** The action or update is not allowed in this status. */
export class InvitationClosed extends Data.TaggedError("InvitationClosed")<{
  readonly action: Action | "update"
  readonly status: Status
}> {}

/** The fields of a recruitment check or fetch request. */
export type InvitationFields = Invitation & JsonObject
type Fields = InvitationFields

/** Returns the status on a day. An open invitation after its last day reads as EXPIRED; this is not stored. */
export const statusOn = ({ expiryDate, status }: Invitation, today: string): Status =>
  isLapsed(expiryDate, today) ? "EXPIRED" : status

/** Whether the person can still answer on a day. */
export const isOpenOn = (fields: Invitation, today: string): boolean =>
  (openStatuses as ReadonlyArray<Status>).includes(statusOn(fields, today))

/** Returns the invitation as it reads on a day. */
export const readOn = <F extends Fields>(stored: Stored<F>, today: string): Stored<F> => ({
  ...stored,
  fields: { ...stored.fields, status: statusOn(stored.fields, today) }
})

/** Returns a new invitation, which expires `expiryDays` after today. */
export const begun = <F extends Fields>(fields: F, today: string): F => ({
  ...fields,
  expiryDate: dayAfter(today, fields.expiryDays)
})

/**
 * Applies an action by the transition table. `resend` restarts the days from today. `remind` keeps the last day, and
 * counts as the first message if none was sent. `cancel` removes the last day.
 */
export const decide = <F extends Fields>(
  fields: F,
  action: Action,
  { now, today }: Moment
): Result.Result<F, InvitationClosed> => {
  const before = statusOn(fields, today)
  const status = transitions[action][before]
  if (status === null) return Result.fail(new InvitationClosed({ action, status: before }))
  const at = toRfc3339(now)
  switch (action) {
    case "resend":
      return Result.succeed({ ...fields, status, sentAt: at, expiryDate: dayAfter(today, fields.expiryDays) })
    case "remind":
      return Result.succeed({ ...fields, status, sentAt: fields.sentAt ?? at, remindedAt: at })
    case "cancel":
      return Result.succeed({ ...(put(fields, ["expiryDate"], undefined) as F), status })
  }
}

/** Returns the fields after a mail server took a message of this service about an open invitation, as a first message or a reminder. */
export const afterMessage = <F extends Fields>(fields: F, { now, today }: Moment, isReminder: boolean): F => {
  if (!isOpenOn(fields, today)) return fields
  const at = toRfc3339(now)
  const status = transitions.remind[fields.status] ?? fields.status
  const sent = fields.sentAt === undefined ? { ...fields, status, sentAt: at } : fields
  return isReminder ? { ...sent, remindedAt: at } : sent
}

/**
 * Returns the fields after an update. A change of `expiryDays` moves the last day by the difference, so an expired
 * invitation can open again. A completed or cancelled invitation cannot change. Equal fields always succeed.
 */
export const afterUpdate = <F extends Fields>(before: F, after: F): Result.Result<F, InvitationClosed> => {
  if (equals(before, after)) return Result.succeed(after)
  const { expiryDate, expiryDays, status } = before
  return expiryDate === undefined
    ? Result.fail(new InvitationClosed({ action: "update", status }))
    : Result.succeed({ ...after, expiryDate: dayAfter(expiryDate, after.expiryDays - expiryDays) })
}

/** The requirements of one kind of invitation, and the person who must meet them. */
export interface Asking<F extends Fields> {
  readonly resource: Resource<F>
  readonly personOf: (fields: F) => OwnerReference
  readonly requirementsOf: (fields: F) => Requirements
  /** Its name in events. */
  readonly name: "recruitmentCheck" | "fetchRequest"
}

/** Returns the fields after checking the person's holdings. Only an open invitation changes. */
export const progressed = <F extends Fields>(asking: Asking<F>, fields: F, holdings: Holdings, today: string): F => {
  if (!isOpenOn(fields, today)) return fields
  switch (progressOf(asking.requirementsOf(fields), holdings, today)) {
    case "NONE":
      return fields
    case "SOME":
      return { ...fields, status: "IN_PROGRESS" }
    case "ALL":
      return { ...(put(fields, ["expiryDate"], undefined) as F), status: "COMPLETED" }
  }
}

/**
 * Returns the event of an invitation that was just completed, else none. The payload has ids and the status, no names.
 */
export const completedEvents = <F extends Fields>(
  { name, personOf, resource }: Asking<F>,
  eventId: () => string,
  { fields, id, updatedAt, version }: Stored<F>
): ReadonlyArray<EventDraft> => {
  if (fields.status !== "COMPLETED") return []
  const person = personOf(fields)
  const told = { id, type: resource.type, status: fields.status, [person.type]: { id: person.id } }
  return [
    {
      id: eventId(),
      kind: `${name}.completed`,
      subjectId: id,
      sequence: version,
      correlationId: null,
      data: { [name]: told },
      about: { credentialType: null, jurisdiction: null },
      at: updatedAt
    }
  ]
}

/**
 * Returns the person whose holdings a change needs. Unless the invitation is already open, the holdings are locked:
 * concurrent changes of holdings only update open invitations.
 */
export const holdingsOf = <F extends Fields>(
  { personOf }: Asking<F>,
  change: "created" | "updated",
  fields: F,
  today: string
): Omit<HoldingsOf, "credentialTypes"> | undefined => {
  const isOpen = change === "updated" && isOpenOn(fields, today)
  const isFinal = fields.status === "COMPLETED" || fields.status === "CANCELLED"
  return isFinal ? undefined : { person: personOf(fields), isLocked: !isOpen }
}

/** The kind of message that a change sends to the person. A reminder also counts as sent if nothing was sent before. */
const toldBy = (before: Invitation | undefined, after: Invitation): PersonalKind | undefined => {
  if (before === undefined) return "REQUEST"
  if (before.remindedAt !== after.remindedAt) return "REQUEST_REMINDER"
  return before.sentAt !== after.sentAt ? "REQUEST" : undefined
}

/** Returns the messages to the person of an open invitation that was created, sent again or reminded of. */
const messagesOf = <F extends Fields>(
  { personOf, resource }: Asking<F>,
  messageId: () => string,
  before: Stored<F> | undefined,
  after: Stored<F>
): ReadonlyArray<MessageDraft> => {
  const { fields, id, updatedAt: at } = after
  const kind = toldBy(before?.fields, fields)
  if (kind === undefined || !(openStatuses as ReadonlyArray<Status>).includes(fields.status)) return []
  const about: InvitationReference = {
    type: resource.type === "captureRequest" ? resource.type : "credentialCheck",
    id
  }
  return [{ id: messageId(), kind, recipient: personOf(fields), about, cause: causeOf(after), at }]
}

/** The use cases besides the standard ones. */
export interface Inviting<F extends JsonObject> {
  /** Resends, reminds or cancels. */
  readonly perform: (
    id: string,
    action: Action
  ) => Effect.Effect<
    Shown<F>,
    InvalidArgument | ResourceNotFound | InvitationClosed | PreconditionFailed,
    Caller | RequestId
  >
}

/** Returns the use cases of both kinds: with expiry, status, closing, and completion by the person's holdings. */
export const makeInviting = <F extends Fields, Refused = never>(
  resources: Resources["Service"],
  asking: Asking<F>,
  references?: ReferencesRule<F, Refused>
): Collection<F, Refused, LinkNotFound | InvitationClosed> & Inviting<F> => {
  const { resource } = asking
  const rules: Rules<F> = {
    show: (stored, { today }) => toDocument(resource, readOn(stored, today)),
    holdings: {
      of: (change, fields, today) => holdingsOf(asking, change, fields, today),
      credentialTypes: (fields) => requiredTypes([asking.requirementsOf(fields)]),
      complete: (fields, holdings, today) => progressed(asking, fields, holdings, today)
    },
    records: (before, after, { eventId, messageId }) => ({
      events: completedEvents(asking, eventId, after),
      messages: messagesOf(asking, messageId, before, after)
    })
  }
  const creating: Creating<F, Refused> = {
    ...rules,
    settle: (fields, { today }) => Result.succeed({ fields: begun(fields, today), warnings: [] }),
    ...(references === undefined ? {} : { references })
  }
  const updating: Updating<F, InvitationClosed> = {
    ...rules,
    settle: (before, after) => Result.map(afterUpdate(before, after), (fields) => ({ fields, warnings: [] }))
  }
  return {
    ...resources.collection(resource, rules),
    create: (body) => resources.create(resource, body, creating),
    replace: (id, body) => resources.update(resource, id, "replace", body, updating),
    patch: (id, body) => resources.update(resource, id, "patch", body, updating),
    perform: (id, action) =>
      resources.act(resource, id, action, (fields, moment) => decide(fields, action, moment), rules)
  }
}
