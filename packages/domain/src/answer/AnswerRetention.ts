import { type AuditEntry, entryOf, serverActing } from "../audit/AuditEntry.ts"
import { erase } from "../resource/Erasing.ts"
import type { Stored } from "../resource/Resource.ts"
import { Answer, type AnswerFields, isUnderWay, withoutCorrection } from "../screening/Answer.ts"
import { type InvitationFields, isOpenOn, statusOn } from "../screening/Invitation.ts"
import { dayAt, type Moment } from "../shared/CalendarDay.ts"
import { dayAfter } from "../shared/Instant.ts"

// How answers and links end after their requests (DECISIONS.md#answers).

/** What is known of a request whose answer or links may be forgotten. */
export interface EndedRequest {
  /** The stored request, even if deleted; undefined if it is not there. */
  readonly request: Stored<InvitationFields> | undefined
  /** The stored answer, even if deleted; undefined if nobody answered. */
  readonly answer: Stored<AnswerFields> | undefined
  /** Whether a worker has one of the cards that the approval wrote: then the applicant was engaged. */
  readonly isEngaged: boolean
}

/** Links, devices and files of the request are forgotten, and the answer is stored if there is one here. */
export interface Forgotten {
  readonly answer: { readonly next: Stored<AnswerFields>; readonly audit: AuditEntry } | undefined
}

/** The day on which a request ended; undefined while it is open. */
export const endedOn = (
  { deletedAt, fields, updatedAt }: Stored<InvitationFields>,
  today: string,
  timeZone: string
): string | undefined => {
  if (deletedAt !== null) return dayAt(deletedAt, timeZone)
  if (isOpenOn(fields, today)) return undefined
  return statusOn(fields, today) === "EXPIRED" ? fields.expiryDate : dayAt(updatedAt, timeZone)
}

/**
 * The answer that stays with the record of its person, because it proves the consent to cards that were approved; undefined if
 * none does. A later correction that nobody approved does not stay.
 */
const staying = (fields: AnswerFields, isEngaged: boolean): AnswerFields | undefined => {
  if (fields.worker === undefined && !isEngaged) return undefined
  return fields.state === "APPROVED" ? fields : withoutCorrection(fields)
}

/** How a tenant forgets answers. */
export interface AnswerTerm {
  /** Days after the end of a request. */
  readonly days: number
  readonly timeZone: string
}

/** What an erasure writes to the audit log. */
interface Acting {
  readonly moment: Moment
  readonly requestId: string
  readonly auditId: () => string
}

/** What is forgotten of a request; undefined if nothing is, because it is open or ended too few days ago. */
export const forgotten = (
  { answer, isEngaged, request }: EndedRequest,
  { days, timeZone }: AnswerTerm,
  { auditId, moment, requestId }: Acting
): Forgotten | undefined => {
  const { now, today } = moment
  if (request !== undefined) {
    const ended = endedOn(request, today, timeZone)
    // A longer term than the person has agreed to does not count.
    const term = Math.min(days, answer?.fields.consent.retentionDays ?? days)
    if (ended === undefined || today <= dayAfter(ended, term)) return undefined
  }
  if (answer === undefined || answer.deletedAt !== null) return { answer: undefined }
  if (isUnderWay(answer.fields, now)) return undefined
  const kept = staying(answer.fields, isEngaged)
  if (kept === answer.fields) return { answer: undefined }
  const next =
    kept === undefined
      ? erase<AnswerFields>(Answer, answer, now)
      : { ...answer, version: answer.version + 1, updatedAt: now, fields: kept }
  const entry = { operation: "DELETE", action: "erase", entityType: Answer.type, entityId: answer.id } as const
  return { answer: { next, audit: entryOf(auditId(), serverActing(requestId), entry, now) } }
}
