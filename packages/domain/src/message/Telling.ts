import { type MessageDraft, personalChoices } from "../event/MessageDraft.ts"
import { dayAt } from "../shared/CalendarDay.ts"
import type { Placed } from "./Message.ts"
import { isChosen, timeOn } from "./MessageSettings.ts"
import type { MessagingTenant } from "./MessageStore.ts"

/** The most messages of a kind that a person gets within `tellingMillis`. */
export const tellingMax = 20
export const tellingMillis = 86_400_000

/** A kind of message to a person. */
export const tellingKey = ({ kind, recipient }: Pick<MessageDraft, "kind" | "recipient">): string =>
  `${recipient.id} ${kind}`

/** The message of a draft. One about a card waits for the tenant's time of day, others are due at once. */
const placedOf = (
  { about, at, cause, id, kind, recipient }: MessageDraft,
  { settings, timeZone }: Pick<MessagingTenant, "settings" | "timeZone">
): Placed => {
  const fields = { kind, state: "QUEUED", recipient, about, cause, attempts: 0 } as const
  const message = { id, version: 1, createdAt: at, updatedAt: at, deletedAt: null, fields }
  const isAboutCard = personalChoices[kind] === "tellsOfCards"
  const dueAt = isAboutCard ? Math.max(at, timeOn(dayAt(at, timeZone), settings.timeOfDay, timeZone)) : at
  return { message, dueAt }
}

/**
 * The messages to queue: those that the tenant has chosen, and no more than `tellingMax` of a kind for a person. `before`
 * has how many were queued lately, by `tellingKey`.
 */
export const placedAll = (
  drafts: ReadonlyArray<MessageDraft>,
  tenant: Pick<MessagingTenant, "settings" | "timeZone">,
  before: ReadonlyMap<string, number>
): ReadonlyArray<Placed> => {
  const counts = new Map(before)
  return drafts.flatMap((draft) => {
    const key = tellingKey(draft)
    const count = counts.get(key) ?? 0
    if (!isChosen(tenant.settings, draft.kind) || count >= tellingMax) return []
    counts.set(key, count + 1)
    return [placedOf(draft, tenant)]
  })
}
