import { type Actor, entryOf } from "../audit/AuditEntry.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import { askedResources } from "../screening/Answer.ts"
import { afterMessage, type InvitationFields } from "../screening/Invitation.ts"
import type { Moment } from "../shared/CalendarDay.ts"
import { equals } from "../shared/Json.ts"
import type { StoredMessage as Message, Placed, RequestChange } from "./Message.ts"
import { isSelfSent } from "./Reminders.ts"

/** Who records an acceptance, and when. */
export interface RecordedBy extends Moment {
  readonly actor: Actor
  readonly auditId: string
}

const requestOf = ({ fields: { about, cause, kind } }: Message, by: RecordedBy): RequestChange | undefined => {
  if (about === undefined || about.type === "credential") return undefined
  if (kind !== "REQUEST" && kind !== "REQUEST_REMINDER") return undefined
  const resource = askedResources[about.type]
  return {
    resource,
    id: about.id,
    decide: (request) => {
      const before = request.fields as InvitationFields
      const fields = afterMessage(before, by, isSelfSent(cause))
      if (!isVisible(request, false) || equals(before, fields)) return undefined
      const what = { operation: "UPDATE", action: "sent", entityType: resource.type, entityId: request.id } as const
      return {
        next: { ...request, version: request.version + 1, updatedAt: by.now, fields },
        audit: entryOf(by.auditId, by.actor, what, by.now)
      }
    }
  }
}

/** The end of an attempt, with what an acceptance changes of the request that the message is about. */
export const withAcceptance = (placed: Placed, by: RecordedBy): Placed => {
  const request = placed.message.fields.state === "ACCEPTED" ? requestOf(placed.message, by) : undefined
  return request === undefined ? placed : { ...placed, request }
}
