import { Data, type Effect, Result, Schema } from "effect"
import type { Caller } from "./Caller.ts"
import type { Acting, Shown } from "./Collection.ts"
import { enumeration } from "./Enumeration.ts"
import { CalendarDate, dayAfter, type Instant, toRfc3339 } from "./Instant.ts"
import type { InvalidArgument } from "./InvalidArgument.ts"
import { equals, type JsonObject, put } from "./Json.ts"
import type { LinkNotFound } from "./Links.ts"
import type { RequestId } from "./RequestId.ts"
import { type Resource, type ResourceNotFound, type Stored, toDocument } from "./Resource.ts"
import { linking, type Peculiarity } from "./Resources.ts"
import { line } from "./Text.ts"
import { dayAt, isLapsed } from "./Verification.ts"

/** What recruitment checks and fetch requests are alike: a person is asked for something within so many days. */
export const statuses = ["INITIATED", "SENT", "IN_PROGRESS", "COMPLETED", "EXPIRED", "CANCELLED"] as const
export type Status = (typeof statuses)[number]

/** What is done to one beside an update, by the names that the audit history has for it. */
export const actions = ["resend", "remind", "cancel"] as const
export type Action = (typeof actions)[number]

/**
 * The transition table: what each action makes of each status, and `null` where it is refused. An open one is
 * INITIATED, SENT or IN_PROGRESS; to cancel what is cancelled is a no-op.
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
  expiryDays: Schema.Int.check(
    Schema.isBetween(
      { minimum: minExpiryDays, maximum: maxExpiryDays },
      { message: `must be a whole number from ${minExpiryDays} to ${maxExpiryDays}` }
    )
  ).annotate({ description: "How many days the person has, 14 by default." })
}

/** What the server says of one. */
export const kept = {
  status: enumeration("InvitationStatus", statuses).annotate({
    description: "As it reads today: an open one past its expiryDate is EXPIRED."
  }),
  /** The last day to answer on; absent where nothing is awaited any more. */
  expiryDate: Schema.optionalKey(CalendarDate),
  sentAt: Schema.optionalKey(instant.annotate({ description: "When the person was told of it last." })),
  remindedAt: Schema.optionalKey(instant.annotate({ description: "When the person was reminded of it last." }))
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

type Fields = Invitation & JsonObject

/** The status as it reads on a day: an open one whose last day is over has lapsed, without that being written. */
export const statusOn = ({ expiryDate, status }: Invitation, today: string): Status =>
  isLapsed(expiryDate, today) ? "EXPIRED" : status

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

/** What sets one apart: its days, its status, and that it can be closed. */
export const inviting = <F extends Fields>(
  resource: Resource<F>
): Peculiarity<F, never, LinkNotFound | InvitationClosed> => ({
  ...linking(resource),
  show: (stored, now) => toDocument(resource, readOn(stored, dayAt(now))),
  settleCreated: (fields, now) => Result.succeed({ fields: begun(fields, now), warnings: [] }),
  settleUpdated: (before, after) => Result.map(afterUpdate(before, after), (fields) => ({ fields, warnings: [] }))
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
