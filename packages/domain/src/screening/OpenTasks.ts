import type { BanFields } from "../holding/Ban.ts"
import { eligibilityOn } from "../holding/BanDecision.ts"
import { decisionOn, letsEngage, questionsOf } from "../holding/Clearance.ts"
import { type CredentialFields, readOn } from "../holding/Credential.ts"
import type { Holdings } from "../holding/Holdings.ts"
import type { StatusDetail } from "../holding/Verification.ts"
import { type OwnerReference, type Owners, ownerTypes } from "../ownership/Ownership.ts"
import type { Owner } from "../people/Engaged.ts"
import type { WorkerFields, WorkerType } from "../people/Worker.ts"
import type { Stored } from "../resource/Resource.ts"
import { endOfDay, isLapsed, type Moment } from "../shared/CalendarDay.ts"
import { fromRfc3339, type Instant } from "../shared/Instant.ts"
import { type CardReason, reasonOf, type TaskFields, taskIdOf } from "./Task.ts"

type StoredCredential = Stored<CredentialFields>

/** What a card, as `readOn` returns it, leaves to a person today: a review, or questions that nobody has decided. */
export const openIn = (read: CredentialFields, workerType?: WorkerType): CardReason | undefined => {
  const { statusDetail } = read.attributes
  if (statusDetail === "QUEUED_MANUAL") return statusDetail
  const questions = questionsOf(read, workerType)
  const [first] = questions
  return first === undefined || decisionOn(read, questions) !== undefined ? undefined : reasonOf(first)
}

/** The owner whose task a card is: the worker, or the applicant if no worker owns the card. */
export const askedOwner = (owners: Owners): OwnerReference | undefined =>
  ownerTypes.flatMap((type) => {
    const id = owners[type]
    return id === null ? [] : [{ type, id }]
  })[0]

/** How a worker is engaged. An applicant is not yet, and is judged as a worker without a type. */
export const workerTypeOf = ({ person, type }: Owner): WorkerType | undefined =>
  type === "worker" ? person.fields.employment?.workerType : undefined

/** Whether another card of the person lets them work, so that nobody waits for the renewal of this one. */
const isReplaced = (
  card: StoredCredential,
  { credentials }: Holdings,
  today: string,
  workerType?: WorkerType
): boolean =>
  credentials.some(
    (other) =>
      other.id !== card.id &&
      other.fields.attributes.credentialType === card.fields.attributes.credentialType &&
      letsEngage(readOn(other, today).fields, workerType)
  )

/** The first moment after a day in a time zone. */
const after = (day: string, timeZone: string): Instant => endOfDay(day, timeZone) + 1

/** When the state began: the verdict, the day after the last valid one, or the day after the end of a decision. */
const sinceOf = (
  { fields: { attributes }, updatedAt }: StoredCredential,
  reason: StatusDetail,
  today: string,
  timeZone: string
): Instant => {
  const { decision, expiryDate, lastVerifiedAt = "" } = attributes
  const isVerdict = reason !== "QUEUED_MANUAL" && reason !== "DETAILS_MISSING"
  const verdictAt = (isVerdict ? fromRfc3339(lastVerifiedAt) : undefined) ?? updatedAt
  const hasExpired = reason === "EXPIRED" && expiryDate !== undefined && isLapsed(expiryDate, today)
  const began = hasExpired ? after(expiryDate, timeZone) : verdictAt
  return decision !== undefined && isLapsed(decision.endsOn, today) && decision.about.includes(reason)
    ? Math.max(began, after(decision.endsOn, timeZone))
    : began
}

/** The tasks about the cards of a person who is engaged. Nobody is assigned. */
export const openTasks = (
  owner: Owner,
  holdings: Holdings,
  { now, today }: Moment,
  timeZone: string
): ReadonlyArray<Stored<TaskFields>> => {
  const workerType = workerTypeOf(owner)
  const { id } = owner.person
  return holdings.credentials
    .filter(({ fields }) => askedOwner(fields.attributes.owners)?.id === id)
    .flatMap((card) => {
      const reason = openIn(readOn(card, today).fields, workerType)
      if (reason === undefined) return []
      if (reason === "EXPIRED" && isReplaced(card, holdings, today, workerType)) return []
      const { credentialType } = card.fields.attributes
      const fields = {
        reason,
        credential: { id: card.id, credentialType },
        [owner.type]: { id },
        assignee: { id: null }
      }
      const createdAt = sinceOf(card, reason, today, timeZone)
      return [{ id: taskIdOf(card.id), version: 1, createdAt, updatedAt: now, deletedAt: null, fields }]
    })
}

/** Whether a record may be about the worker, and nobody has decided. */
export const isOpenBan = (fields: BanFields, today: string): boolean =>
  eligibilityOn(fields, today) === "REVIEW_REQUIRED"

/** The task about the oldest record that may be about a worker who is engaged. Nobody is assigned. */
export const openBanTasks = (
  worker: Pick<Stored<WorkerFields>, "id">,
  bans: ReadonlyArray<Stored<BanFields>>,
  { now, today }: Moment,
  timeZone: string
): ReadonlyArray<Stored<TaskFields>> => {
  const ban = bans.find(({ fields }) => isOpenBan(fields, today))
  if (ban === undefined) return []
  const { checkedAt, decision } = ban.fields
  const began = fromRfc3339(checkedAt) ?? ban.updatedAt
  const fields = {
    reason: "POSSIBLE_BAN" as const,
    ban: { id: ban.id },
    worker: { id: worker.id },
    assignee: { id: null }
  }
  const createdAt = decision === undefined ? began : Math.max(began, after(decision.endsOn, timeZone))
  return [{ id: taskIdOf(worker.id), version: 1, createdAt, updatedAt: now, deletedAt: null, fields }]
}
