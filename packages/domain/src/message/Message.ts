import { Schema } from "effect"
import type { AuditEntry } from "../audit/AuditEntry.ts"
import { ownerTypes } from "../ownership/Ownership.ts"
import { enumeration } from "../resource/Enumeration.ts"
import type { Resource, Stored } from "../resource/Resource.ts"
import { type Instant, toRfc3339 } from "../shared/Instant.ts"
import { nextAttemptAt } from "../webhook/DeliverySchedule.ts"
import { meanings, messageKinds } from "./MessageKind.ts"

/**
 * QUEUED: waits for its next attempt. SENDING: an attempt has begun. ACCEPTED: the mail server took the message.
 * REFUSED: the mail server refused it for ever. EXHAUSTED: no attempt succeeded in time. UNKNOWN: an attempt ended
 * without an answer, so the message may have arrived. WITHDRAWN: after an attempt, nothing was left to say. NO_ADDRESS: the
 * person has no address.
 */
export const messageStates = [
  ...(["QUEUED", "SENDING", "ACCEPTED", "REFUSED", "EXHAUSTED", "UNKNOWN"] as const),
  ...(["WITHDRAWN", "NO_ADDRESS"] as const)
]
export type MessageState = (typeof messageStates)[number]

/** Who can receive a message. */
export const recipientTypes = ["user", ...ownerTypes] as const

/** The most characters of a mail server's answer that are kept. */
const replyMax = 500

export const MessageFields = Schema.Struct({
  kind: enumeration("MessageKind", messageKinds).annotateKey({
    description: messageKinds.map((kind) => `\`${kind}\`: ${meanings[kind]}.`).join(" ")
  }),
  state: enumeration("MessageState", messageStates).annotateKey({
    description:
      "`QUEUED`: waits for an attempt. `SENDING`: an attempt runs. `ACCEPTED`: the mail server took the message. " +
      "`REFUSED`: the mail server refused it for ever. `EXHAUSTED`: no attempt succeeded in time. `UNKNOWN`: an attempt " +
      "ended without an answer, so the message may have arrived. It is not sent again unless a user asks for it. " +
      "`WITHDRAWN`: before a further attempt, nothing was left to say. `attempts` and `reply` tell of the earlier ones. " +
      "`NO_ADDRESS`: the person has no email address, so nothing was sent."
  }),
  recipient: Schema.Struct({
    type: enumeration("RecipientType", recipientTypes).annotateKey({ description: "Who the recipient is." }),
    id: Schema.String.annotateKey({ description: "Id of the user, worker or applicant." }),
    email: Schema.optionalKey(Schema.String).annotateKey({
      description: "Email address of the user. Absent for workers and applicants: theirs is read when it is needed."
    })
  }).annotateKey({ description: "Who receives the message." }),
  about: Schema.optionalKey(
    Schema.Struct({
      type: enumeration("MessageSubjectType", ["credential", "captureRequest", "credentialCheck"]).annotateKey({
        description: "Type of the resource."
      }),
      id: Schema.String.annotateKey({ description: "Id of the resource." })
    })
  ).annotateKey({ description: "The card or request of a message to a worker or applicant. Otherwise absent." }),
  cause: Schema.String.annotateKey({
    description:
      "What caused the message: a day; `sample` and an id; a card with its last valid day and the day of the message; or a " +
      "version of a request. A recipient gets each kind once for each cause."
  }),
  attempts: Schema.Int.annotateKey({ description: "Number of attempts that have begun." }),
  reply: Schema.optionalKey(Schema.String).annotateKey({
    description: "The last answer of the mail server, or why there was none. Absent before the first attempt ends."
  }),
  endedAt: Schema.optionalKey(Schema.String.annotate({ format: "date-time" })).annotateKey({
    description: "When the last attempt ended, or it turned out that there is no address. Absent before that."
  })
})
export type MessageFields = typeof MessageFields.Type

/** An e-mail to a user, a worker or an applicant. The server creates it; its text is written when it is sent (DECISIONS.md#messages). */
export const Message = {
  type: "message",
  naming: { by: "minting", kind: "message" },
  collection: "messages",
  fields: MessageFields,
  computed: [],
  fixed: [],
  defaults: [],
  links: [],
  columns: {
    kind: { path: ["kind"] },
    state: { path: ["state"] },
    recipient_id: { path: ["recipient", "id"] },
    about_id: { path: ["about", "id"] },
    cause: { path: ["cause"] }
  },
  filters: {
    kind: { by: "equal", column: "kind", among: messageKinds },
    state: { by: "equal", column: "state", among: messageStates },
    recipientId: { by: "equal", column: "recipient_id" },
    aboutId: { by: "equal", column: "about_id" }
  },
  sorts: {}
} as const satisfies Resource<MessageFields>

export type StoredMessage = Stored<MessageFields>

/** Whether the message is a sample that a user sent to themselves. */
export const isSample = ({ cause }: Pick<MessageFields, "cause">): boolean => cause.startsWith("sample ")

/** The cause of a sample. */
export const sampleCause = (id: string): string => `sample ${id}`

/** How an attempt ended. */
export type Outcome =
  /** The mail server took the message. */
  | { readonly _tag: "Accepted"; readonly reply: string }
  /** The mail server refused this message for ever. `isOfAddress`: because of its address. */
  | { readonly _tag: "Refused"; readonly reply: string; readonly isOfAddress?: boolean }
  /** The mail server did not take the message. A later attempt can succeed. */
  | { readonly _tag: "Later"; readonly reply: string }
  /** The connection ended after the message and before the answer. */
  | { readonly _tag: "Unknown"; readonly reply: string }

const minute = 60_000
const hour = 60 * minute

/** The delay after each failed attempt, in milliseconds. A digest of an earlier day is of little use. */
export const retryDelaysMillis: ReadonlyArray<number> = [minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour, 12 * hour]

/** The time limit of an attempt, in milliseconds. */
export const attemptMillis = 2 * minute

/** The age of an attempt without an end, in milliseconds, at which its worker counts as lost. */
export const lostMillis = 5 * attemptMillis

/** How long ended messages are kept, in milliseconds. */
export const keptMillis = 90 * 24 * hour

/** What the acceptance of a message changes of its request, in the same transaction. */
export interface RequestChange {
  readonly resource: Resource
  readonly id: string
  /** Undefined: the request stays as it is. Pure, and may be called more than once. */
  readonly decide: (request: Stored) => { readonly next: Stored; readonly audit: AuditEntry } | undefined
}

/** What the end of a message says about the address of a person, in the same transaction. */
export interface ReachChange {
  readonly resource: Resource
  readonly id: string
  /** Whether the person cannot be reached. Undefined: nothing is known. Pure, and may be called more than once. */
  readonly decide: (person: Stored) => boolean | undefined
}

/** A message and when its next attempt is due; null if none is. */
export interface Placed {
  readonly message: StoredMessage
  readonly dueAt: Instant | null
  readonly request?: RequestChange
  readonly reach?: ReachChange
}

const changed = (message: StoredMessage, fields: Partial<MessageFields>, now: Instant): StoredMessage => ({
  ...message,
  version: message.version + 1,
  updatedAt: now,
  fields: { ...message.fields, ...fields }
})

/** The message with an attempt that has begun; undefined if none may begin. */
export const begun = (message: StoredMessage, now: Instant): Placed | undefined =>
  message.fields.state === "QUEUED"
    ? {
        message: changed(message, { state: "SENDING", attempts: message.fields.attempts + 1 }, now),
        dueAt: now + lostMillis
      }
    : undefined

/** The message with nothing left to say: null if nobody has tried to send it. Undefined if an attempt has begun. */
export const unsaid = (message: StoredMessage, now: Instant): Placed | null | undefined => {
  const { attempts, endedAt, state } = message.fields
  if (state !== "QUEUED") return undefined
  return attempts === 0 && endedAt === undefined
    ? null
    : { message: changed(message, { state: "WITHDRAWN" }, now), dueAt: null }
}

/** The message to a person without an address: it ends. Undefined if an attempt has begun. */
export const unaddressed = (message: StoredMessage, now: Instant): Placed | undefined =>
  message.fields.state === "QUEUED"
    ? { message: changed(message, { state: "NO_ADDRESS", endedAt: toRfc3339(now) }, now), dueAt: null }
    : undefined

/** How long a message is tried again that cannot be written, in milliseconds. */
const unwrittenMillis = retryDelaysMillis.reduce((sum, delay) => sum + delay, 0)

/**
 * The message, due again at a later time, because no attempt could begin. It ends if none could for too long. Undefined if
 * one has begun since it was read with this version.
 */
export const postponed = (
  message: StoredMessage,
  version: number,
  dueAt: Instant,
  now: Instant
): Placed | undefined => {
  if (message.version !== version || message.fields.state !== "QUEUED") return undefined
  if (now - message.updatedAt < unwrittenMillis) return { message: { ...message, version: version + 1 }, dueAt }
  const reply = "The message could not be written."
  return { message: changed(message, { state: "EXHAUSTED", reply, endedAt: toRfc3339(now) }, now), dueAt: null }
}

const addressOrLink = /\S+@\S+|https?:\/\/\S+/giu

/**
 * Text of a mail server on one line, cut to a length. Servers repeat addresses, in other letter cases too, and links that
 * they block. Neither belongs in the outbox if anything is `hidden`.
 */
const replyOf = (text: string, hidden: ReadonlyArray<string>): string =>
  hidden
    .reduce(
      (rest, part) => (part === "" ? rest : rest.replaceAll(part, "…")),
      hidden.length === 0 ? text : text.replaceAll(addressOrLink, "…")
    )
    .toWellFormed()
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, replyMax)
    .toWellFormed()

/**
 * The message after its attempt number `attempt`; undefined if that attempt no longer counts. An attempt that counted as
 * lost can still tell its end. `jitter` is from 0 to 1. `hidden` are texts that the answer of the mail server must not keep.
 */
export const settled = (
  message: StoredMessage,
  attempt: number,
  outcome: Outcome,
  now: Instant,
  jitter: number,
  hidden: ReadonlyArray<string> = []
): Placed | undefined => {
  const { attempts, state } = message.fields
  if (attempts !== attempt || (state !== "SENDING" && state !== "UNKNOWN")) return undefined
  const end = { reply: replyOf(outcome.reply, hidden), endedAt: toRfc3339(now) }
  const ended = (state: MessageState): Placed => ({ message: changed(message, { ...end, state }, now), dueAt: null })
  switch (outcome._tag) {
    case "Accepted":
      return ended("ACCEPTED")
    case "Refused":
      return ended("REFUSED")
    case "Unknown":
      return ended("UNKNOWN")
    case "Later": {
      const dueAt = nextAttemptAt(retryDelaysMillis, attempts, now, jitter, null)
      return dueAt === undefined
        ? ended("EXHAUSTED")
        : { message: changed(message, { ...end, state: "QUEUED" }, now), dueAt }
    }
  }
}

/** What a message says whose worker was lost during an attempt. */
export const lost: Outcome = { _tag: "Unknown", reply: "The worker stopped during the attempt." }

/** The states from which a user may send a message again. */
export const resendable: ReadonlyArray<MessageState> = ["REFUSED", "EXHAUSTED", "UNKNOWN", "NO_ADDRESS"]

/** The message, queued again by a user: for one attempt, and for those that are left after it. */
export const requeued = (fields: MessageFields): MessageFields => ({ ...fields, state: "QUEUED" })
