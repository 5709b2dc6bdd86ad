import type { PrivilegeName } from "../access/Privilege.ts"
import { type PersonalKind, personalChoices } from "../event/MessageDraft.ts"

/** The values that a template can show. */
export const placeholders = [
  ...(["organization", "date", "count", "items", "link"] as const),
  ...(["name", "card", "expiry", "message", "code", "decision", "reason"] as const)
]
export type Placeholder = (typeof placeholders)[number]

/** How often a kind is sent to officers. */
export type Rhythm = "weekly" | "daily"

interface ToOfficers {
  readonly rhythm: Rhythm
  /** Who receives it: the active users with this privilege. */
  readonly to: PrivilegeName
  /** The screen of the console that `{link}` opens. */
  readonly screen: `/${string}`
}

/** The kinds of message to officers (DECISIONS.md#messages). Each is sent only if it has something to say. */
export const officerKinds = {
  WEEKLY_DIGEST: { rhythm: "weekly", to: "credential:UPDATE", screen: "/" },
  RED_TODAY: { rhythm: "daily", to: "credential:UPDATE", screen: "/" }
} as const satisfies Record<string, ToOfficers>

export type OfficerKind = keyof typeof officerKinds
export type MessageKind = OfficerKind | PersonalKind

export const officerKindNames = Object.keys(officerKinds) as ReadonlyArray<OfficerKind>
export const messageKinds = [...officerKindNames, ...Object.keys(personalChoices)] as ReadonlyArray<MessageKind>

export const isPersonal = (kind: MessageKind): kind is PersonalKind => kind in personalChoices

const work = ["organization", "date", "count", "items", "link"] as const
const card = ["organization", "date", "name", "card", "expiry", "count"] as const
const asking = ["organization", "date", "name", "items", "expiry", "message", "link"] as const

/** The placeholders that a template of each kind can have. */
export const placeholdersOf: Readonly<Record<MessageKind, ReadonlyArray<Placeholder>>> = {
  WEEKLY_DIGEST: work,
  RED_TODAY: work,
  CARD_EXPIRING: card,
  CARD_EXPIRED: card,
  REQUEST: asking,
  REQUEST_REMINDER: asking,
  REQUEST_CODE: ["organization", "date", "name", "code"],
  REQUEST_DECIDED: ["organization", "date", "name", "decision", "reason"]
}

/** The meaning of each kind, for the API's documentation. */
export const meanings: Readonly<Record<MessageKind, string>> = {
  WEEKLY_DIGEST: "open work in numbers, to officers",
  RED_TODAY: "the people who may not work since the last message, to officers",
  CARD_EXPIRING: "a card ends soon, to its owner",
  CARD_EXPIRED: "a card has ended, to its owner",
  REQUEST: "a fetch request or a recruitment check, to its person, with a link to answer it",
  REQUEST_REMINDER: "a reminder of it",
  REQUEST_CODE: "the code that a further device of the person needs",
  REQUEST_DECIDED: "the answer was accepted or not, with the reason"
}

/** Which kinds a user receives after turning these off. */
export const received = (declined: ReadonlyArray<OfficerKind>): Readonly<Record<OfficerKind, boolean>> =>
  Object.fromEntries(officerKindNames.map((kind) => [kind, !declined.includes(kind)])) as Record<OfficerKind, boolean>

/** The parts of a weekly digest, in their order. */
export const digestPartNames = ["notCompliant", "lapsing", "tasks", "sources", "webhooks", "mentions"] as const
export type DigestPart = (typeof digestPartNames)[number]
