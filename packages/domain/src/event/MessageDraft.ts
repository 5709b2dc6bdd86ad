import type { OwnerReference, Reference } from "../ownership/Ownership.ts"
import type { Instant } from "../shared/Instant.ts"

/** The choices of a tenant about messages to people, by kind of message. None is sent that the tenant has not chosen. */
export const personalChoices = {
  CARD_EXPIRING: "tellsOfCards",
  CARD_EXPIRED: "tellsOfCards",
  REQUEST: "tellsOfRequests",
  REQUEST_REMINDER: "tellsOfRequests",
  REQUEST_CODE: "tellsOfRequests",
  REQUEST_DECIDED: "tellsOfRequests"
} as const

/** A kind of message to workers and applicants. */
export type PersonalKind = keyof typeof personalChoices

/** A fetch request or a recruitment check. */
export type InvitationReference = Reference<"captureRequest" | "credentialCheck">

/** What a message to a person is about. */
export type MessageSubject = InvitationReference | Reference<"credential">

/**
 * A message to a worker or an applicant, as a part of the records of a change (`ChangeRecords.messages`). The store queues
 * it in the transaction of the change, if the tenant sends messages of its kind. It has ids and no personal data: the
 * address and the text are read when it is sent.
 */
export interface MessageDraft {
  /** A new id of a message. */
  readonly id: string
  readonly kind: PersonalKind
  readonly recipient: OwnerReference
  readonly about: MessageSubject
  /** A person gets each kind once for each cause. Officers see it, so it has no secret and no personal data. */
  readonly cause: string
  readonly at: Instant
}

/** The cause of a message about the end of a card: its last valid day, and the day of the message. */
export const cardCause = (id: string, expiryDate: string, today: string): string => `${id} ${expiryDate} ${today}`

/** Whether the cause of a message is the end of a card on this day. */
export const isCauseOf = (cause: string, id: string, expiryDate: string): boolean =>
  cause.startsWith(cardCause(id, expiryDate, ""))

/** The cause of a message about a version of a request. */
export const causeOf = ({ id, version }: { readonly id: string; readonly version: number }): string =>
  `${id} ${version}`
