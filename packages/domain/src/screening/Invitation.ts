import { Data, type Effect, Result, Schema } from "effect"
import type { Caller } from "../access/Caller.ts"
import type { Holdings } from "../credential/Holdings.ts"
import type { OwnerReference } from "../ownership/Ownership.ts"
import type { Acting, Shown } from "../resource/Collection.ts"
import { enumeration } from "../resource/Enumeration.ts"
import type { LinkNotFound } from "../resource/Links.ts"
import { type Resource, type ResourceNotFound, type Stored, toDocument } from "../resource/Resource.ts"
import type { HoldingsOf } from "../resource/ResourceStore.ts"
import { linking, type Peculiarity } from "../resource/Resources.ts"
import { CalendarDate, dayAfter, type Instant, toRfc3339 } from "../shared/Instant.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import { equals, type JsonObject, put } from "../shared/Json.ts"
import type { RequestId } from "../shared/RequestId.ts"
import { line } from "../shared/Text.ts"
import { dayAt, isLapsed } from "../verification/Verification.ts"
import type { EventDraft } from "../webhook/EventDraft.ts"
import type { Requirements } from "./ScreeningPackages.ts"
import { progressOf } from "./ScreeningProgress.ts"

/**
 * What recruitment checks and fetch requests have in common: a person is asked for something within so many days.
 *
 * Statuses only move forward by what the person holds: the first requirement met makes IN_PROGRESS, all of them met at
 * one moment make COMPLETED. Losing a credential or an exemption moves nothing back. COMPLETED and CANCELLED are final.
 */
export const statuses = ["INITIATED", "SENT", "IN_PROGRESS", "COMPLETED", "EXPIRED", "CANCELLED"] as const
export type Status = (typeof statuses)[number]

/** The statuses that still wait for the person. EXPIRED is not stored: an open one past its expiryDate reads so. */
export const openStatuses = ["INITIATED", "SENT", "IN_PROGRESS"] as const satisfies ReadonlyArray<Status>

/** What is done to one beside an update, by the names that the audit history has for it. */
export const actions = ["resend", "remind", "cancel"] as const
export type Action = (typeof actions)[number]

/**
 * The transition table: what each action makes of each status, and `null` where it is refused. To cancel what is
 * cancelled is a no-op.
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

const instant = Schema.String.annotate({ format: "date-time" })

/** What a caller says of one. */
export const asked = {
  /** What the person is told. */
  message: Schema.optionalKey(line(2000)),
  expiryDays: Schema.Int.check(Schema.isBetween({ minimum: minExpiryDays, maximum: maxExpiryDays })).annotate({
    description: "Days until the deadline. Default: 14.",
    form: `a whole number from ${minExpiryDays} to ${maxExpiryDays}`
  })
}

/** What the server says of one. */
export const kept = {
  status: enumeration("InvitationStatus", statuses).annotate({
    description:
      "Status as of today. IN_PROGRESS: the person meets some requirements. COMPLETED: the person met all requirements at one time; this is final. EXPIRED: open and past its expiryDate; a resend or more expiryDays reopens it."
  }),
  /** The last day to answer on; absent where nothing is awaited any more. */
  expiryDate: Schema.optionalKey(CalendarDate),
  sentAt: Schema.optionalKey(instant.annotate({ description: "Time of the last sending." })),
  remindedAt: Schema.optionalKey(instant.annotate({ description: "Time of the last reminder." }))
}

/** The fields that both have. */
export const fields = { ...asked, ...kept }
const Invitation = Schema.Struct(fields)
export type Invitation = typeof Invitation.Type

/** What every definition says of them. */
export const computed = Object.keys(kept).map((name) => [name])
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

/** What is asked of it does not go with its status: nothing is awaited of the person, or no more. */
export class InvitationClosed extends Data.TaggedError("InvitationClosed")<{
  readonly action: Action | "update"
  readonly status: Status
}> {}

/** The fields of one kind of invitation. */
export type InvitationFields = Invitation & JsonObject
type Fields = InvitationFields

/** The status as it reads on a day: an open one whose last day is over has lapsed, without that being written. */
export const statusOn = ({ expiryDate, status }: Invitation, today: string): Status =>
  isLapsed(expiryDate, today) ? "EXPIRED" : status

const isOpenOn = (fields: Invitation, today: string): boolean =>
  (openStatuses as ReadonlyArray<Status>).includes(statusOn(fields, today))

/** One as it reads on a day. */
export const readOn = <F extends Fields>(stored: Stored<F>, today: string): Stored<F> => ({
  ...stored,
  fields: { ...stored.fields, status: statusOn(stored.fields, today) }
})

/** A new one: its days begin today. */
export const begun = <F extends Fields>(fields: F, now: Instant): F => ({
  ...fields,
  expiryDate: dayAfter(dayAt(now), fields.expiryDays)
})

/**
 * An action by the transition table. To resend counts the days anew from today. To remind leaves the days as they are,
 * and is what the person is told first where it was not sent yet. What is cancelled awaits nothing.
 */
export const decide = <F extends Fields>(
  fields: F,
  action: Action,
  now: Instant
): Result.Result<F, InvitationClosed> => {
  const today = dayAt(now)
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

/**
 * What an update comes to. Other `expiryDays` move the last day, which stays counted from where it was: one that has
 * expired can be open again by them. Of what is completed or cancelled nothing changes: it is a record of what was
 * said and done. The same again is no change.
 */
export const afterUpdate = <F extends Fields>(before: F, after: F): Result.Result<F, InvitationClosed> => {
  if (equals(before, after)) return Result.succeed(after)
  const { expiryDate, expiryDays, status } = before
  return expiryDate === undefined
    ? Result.fail(new InvitationClosed({ action: "update", status }))
    : Result.succeed({ ...after, expiryDate: dayAfter(expiryDate, after.expiryDays - expiryDays) })
}

/** What one kind of invitation asks for, and of whom. */
export interface Asking<F extends Fields> {
  readonly resource: Resource<F>
  readonly personOf: (fields: F) => OwnerReference
  readonly requirementsOf: (fields: F) => Requirements
  /** Its name in events. */
  readonly name: "recruitmentCheck" | "fetchRequest"
}

/** The fields after a look at what the person holds. Only an open one changes. */
export const progressed = <F extends Fields>(asking: Asking<F>, fields: F, holdings: Holdings, now: Instant): F => {
  const today = dayAt(now)
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

/** The event of one that has just been completed, else none. The payload has ids and the status, and no names. */
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
 * Whose holdings a change of one rests on. They must not change meanwhile if it is not open yet: whoever changes them
 * looks for open ones only.
 */
const holdingsOf = <F extends Fields>(
  { personOf }: Asking<F>,
  change: "created" | "updated",
  fields: F,
  now: Instant
): HoldingsOf | undefined => {
  const isOpen = change === "updated" && isOpenOn(fields, dayAt(now))
  const isFinal = fields.status === "COMPLETED" || fields.status === "CANCELLED"
  return isFinal ? undefined : { person: personOf(fields), isLocked: !isOpen }
}

/** What sets one apart: its days, its status, that it can be closed, and that it is completed by what a person holds. */
export const inviting = <F extends Fields>(
  asking: Asking<F>
): Peculiarity<F, never, LinkNotFound | InvitationClosed> => ({
  ...linking(asking.resource),
  show: (stored, now) => toDocument(asking.resource, readOn(stored, dayAt(now))),
  settleCreated: (fields, now) => Result.succeed({ fields: begun(fields, now), warnings: [] }),
  settleUpdated: (before, after) => Result.map(afterUpdate(before, after), (fields) => ({ fields, warnings: [] })),
  holdingsOf: (change, fields, now) => holdingsOf(asking, change, fields, now),
  settleHoldings: (fields, holdings, now) => progressed(asking, fields, holdings, now),
  event: (_change, eventId, stored) => completedEvents(asking, () => eventId, stored)
})

/** What both have beside the use cases of every group. */
export interface Inviting<F extends JsonObject> {
  /** Resend, remind or cancel. */
  readonly perform: (
    id: string,
    action: Action
  ) => Effect.Effect<Shown<F>, InvalidArgument | ResourceNotFound | InvitationClosed, Caller | RequestId>
}

export const makePerform =
  <F extends Fields>({ act }: Acting<F>): Inviting<F>["perform"] =>
  (id, action) =>
    act(id, action, (fields, now) => decide(fields, action, now))
