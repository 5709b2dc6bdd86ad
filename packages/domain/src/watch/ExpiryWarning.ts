import { Context } from "effect"
import type { EventDraft } from "../event/EventDraft.ts"
import { cardCause, type MessageDraft } from "../event/MessageDraft.ts"
import * as Credential from "../holding/Credential.ts"
import { isEngaged, type Owner } from "../people/Engaged.ts"
import type { Stored } from "../resource/Resource.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import { isLapsed, type Moment } from "../shared/CalendarDay.ts"
import { dayAfter, daysBetween } from "../shared/Instant.ts"

/** When the end of a card gives warnings (DECISIONS.md#warnings). All numbers in days, but for the count of repeats. */
export const WarningSettings = Context.Reference<{
  /** How long before the last valid day there is a warning. */
  readonly daysBefore: ReadonlyArray<number>
  /** How long after the warning that the card has expired it is repeated, and how often. */
  readonly repeatDays: number
  readonly repeatsMax: number
}>("@wcs/domain/WarningSettings", { defaultValue: () => ({ daysBefore: [60, 30, 7], repeatDays: 7, repeatsMax: 52 }) })
export type WarningDays = (typeof WarningSettings)["Service"]

/** The days of a tenant after one that was the last to be looked at, up to another. Both are `YYYY-MM-DD`. */
export interface Days {
  readonly after: string
  readonly upTo: string
}

/** The days of the warnings of one card, relative to its last valid day: -60, -30, -7, 1, 8, 15, … by default. */
const stagesOf = ({ daysBefore, repeatDays, repeatsMax }: WarningDays): ReadonlyArray<number> => [
  ...daysBefore.map((days) => -days),
  ...Array.from({ length: repeatsMax + 1 }, (_, repeat) => 1 + repeat * repeatDays)
]

/** Last valid days from one to another, `YYYY-MM-DD`. */
export interface DateRange {
  readonly from: string
  readonly to: string
}

/** The last valid days of the cards that have a warning on one of the days: ranges in order, with a gap between any two. */
export const warnedDates = ({ after, upTo }: Days, settings: WarningDays): ReadonlyArray<DateRange> => {
  const merged: Array<DateRange> = []
  for (const stage of stagesOf(settings).toSorted((one, other) => other - one)) {
    const range = { from: dayAfter(after, 1 - stage), to: dayAfter(upTo, -stage) }
    const last = merged.at(-1)
    if (last !== undefined && range.from <= dayAfter(last.to, 1)) {
      merged[merged.length - 1] = { from: last.from, to: range.to } // all are equally long
    } else if (range.from <= range.to) merged.push(range)
  }
  return merged
}

/**
 * The event of a card whose warning is due; undefined if it warns of nothing: the card is deleted, or nobody who holds it
 * is engaged. It says what is true today, also when the warning is late.
 */
export const warningOf = (
  credential: Stored<Credential.CredentialFields>,
  owners: ReadonlyArray<Owner>,
  eventId: () => string,
  { now, today }: Moment
): EventDraft | undefined => {
  const { expiryDate } = credential.fields.attributes
  if (expiryDate === undefined || !isVisible(credential, false)) return undefined
  if (!owners.some((owner) => isEngaged(owner, today))) return undefined
  const kind = isLapsed(expiryDate, today) ? "credential.expired" : "credential.expiring"
  const event = Credential.eventOf(kind, eventId(), Credential.slotsOf(credential), null, now)
  const expiry = { expiryDate, daysLeft: daysBetween(today, expiryDate) }
  return { ...event, sequence: credential.version + 1, data: { ...event.data, expiry } }
}

/** What the store writes for a card whose warning is due. */
export interface Warned {
  readonly event?: EventDraft
  readonly message?: MessageDraft
}

/**
 * The event of a card whose warning is due, and the message to its owner: the worker, or the applicant if no worker who is
 * engaged owns it. Empty if the card warns of nothing.
 */
export const warnedOf = (
  credential: Stored<Credential.CredentialFields>,
  owners: ReadonlyArray<Owner>,
  ids: { readonly eventId: () => string; readonly messageId: () => string },
  moment: Moment
): Warned => {
  const event = warningOf(credential, owners, ids.eventId, moment)
  const { expiryDate = "" } = credential.fields.attributes
  const engaged = owners.filter((owner) => isEngaged(owner, moment.today))
  const owner = engaged.find(({ type }) => type === "worker") ?? engaged[0]
  if (event === undefined || owner === undefined) return {}
  const message: MessageDraft = {
    id: ids.messageId(),
    kind: isLapsed(expiryDate, moment.today) ? "CARD_EXPIRED" : "CARD_EXPIRING",
    recipient: { type: owner.type, id: owner.person.id },
    about: { type: "credential", id: credential.id },
    cause: cardCause(credential.id, expiryDate, moment.today),
    at: moment.now
  }
  return { event, message }
}
