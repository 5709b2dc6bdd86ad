import { Effect } from "effect"
import { ResourceStore } from "../crud/ResourceStore.ts"
import type { MessageDraft } from "../event/MessageDraft.ts"
import type { Cursor, Selection } from "../resource/ListQuery.ts"
import type { Stored } from "../resource/Resource.ts"
import { Answer, type AnswerFields, type AskedBy, answerIdOf, askedResources, personOf } from "../screening/Answer.ts"
import { type InvitationFields, isOpenOn } from "../screening/Invitation.ts"
import { dayAt, type Moment } from "../shared/CalendarDay.ts"
import { Ids } from "../shared/Id.ts"
import { dayAfter, fromRfc3339 } from "../shared/Instant.ts"
import { isChosen } from "./MessageSettings.ts"
import { MessageStore, type MessagingTenant } from "./MessageStore.ts"

/** Requests that one read returns. */
const page = 100

/** The cause of a reminder that the service sends by itself: one for each last day of a request. */
const reminderCause = (id: string, expiryDate: string): string => `${id} reminder ${expiryDate}`

/** Whether the service sent a reminder with this cause by itself. */
export const isSelfSent = (cause: string): boolean => cause.includes(" reminder ")

/**
 * Whether it is time to remind the person of a request by itself: `days` before its end, but not in the first half of its days,
 * and the person was told nothing of it since then.
 */
export const isForgotten = (
  { createdAt, fields }: Stored<InvitationFields>,
  days: number,
  today: string,
  timeZone: string
): boolean => {
  const { expiryDate, expiryDays, remindedAt, sentAt } = fields
  if (expiryDate === undefined || !isOpenOn(fields, today)) return false
  const from = dayAfter(expiryDate, -Math.min(days, Math.floor(expiryDays / 2)))
  const told = [sentAt, remindedAt].flatMap((at) => (at === undefined ? [] : (fromRfc3339(at) ?? [])))
  return from <= today && dayAt(Math.max(createdAt, ...told), timeZone) < from
}

/** Whether the person has answered a request, and an officer has not decided yet. */
export const isAnswered = (answer: Stored<AnswerFields> | undefined): boolean =>
  answer !== undefined && (answer.fields.state === "WAITING" || answer.fields.state === "APPROVING")

/** The requests that end within some days. The others have other dates, or none any more. */
const endingSoon = (today: string, days: number, after: Cursor | undefined): Selection => ({
  conditions: [
    { _tag: "From", column: "expiry_date", value: today },
    { _tag: "Before", column: "expiry_date", value: dayAfter(today, days + 1) }
  ],
  sort: { column: "expiry_date", direction: "asc" },
  pageSize: page,
  after,
  offset: 0,
  includeDeleted: false,
  includeTotal: false
})

/** Returns a function that queues the reminders of a tenant that are due by themselves. Queues none twice. */
export const make = Effect.gen(function* () {
  const messages = yield* MessageStore
  const resources = yield* ResourceStore
  const ids = yield* Ids

  return Effect.fn("Reminders.queue")(function* ({ settings, tenantId, timeZone }: MessagingTenant, moment: Moment) {
    const { reminderDays: days } = settings
    let queued = 0
    if (days === undefined || !isChosen(settings, "REQUEST_REMINDER")) return queued
    for (const type of Object.keys(askedResources) as ReadonlyArray<AskedBy>) {
      for (let after: Cursor | undefined, isMore = true; isMore; ) {
        const { hasMore, items } = yield* resources.list(
          askedResources[type],
          tenantId,
          endingSoon(moment.today, days, after)
        )
        const forgotten = items.filter((one) => isForgotten(one, days, moment.today, timeZone))
        const answers = yield* resources.findAll(
          Answer,
          tenantId,
          forgotten.map(({ id }) => answerIdOf(id))
        )
        const drafts: Array<MessageDraft> = []
        for (const { fields, id } of forgotten) {
          if (isAnswered(answers.get(answerIdOf(id)))) continue
          const cause = reminderCause(id, fields.expiryDate ?? "")
          const recipient = personOf(type, fields)
          drafts.push({
            ...{ id: yield* ids.mint("message"), kind: "REQUEST_REMINDER", recipient, cause, at: moment.now },
            about: { type, id }
          })
        }
        queued += yield* messages.tell(tenantId, drafts)
        const last = items.at(-1)
        after = last && { key: last.fields.expiryDate ?? "", id: last.id }
        isMore = hasMore && last !== undefined
      }
    }
    return queued
  })
})
