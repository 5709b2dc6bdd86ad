import type { Item, Output } from "../calls/Contract.ts"

export type Kind = Item<"GET /messages">["kind"]
export type OwnKind = keyof Omit<Output<"GET /me/messages">["data"], "type">

/** The kinds of message to officers, for people. */
export const ownKindNames: ReadonlyArray<readonly [OwnKind, string]> = [
  ["WEEKLY_DIGEST", "weekly digest"],
  ["RED_TODAY", "who may no longer work"]
]

/** All kinds of message, for people. */
export const kindNames: ReadonlyArray<readonly [Kind, string]> = [
  ...ownKindNames,
  ["CARD_EXPIRING", "to the owner of a card: it ends soon"],
  ["CARD_EXPIRED", "to the owner of a card: it has ended"],
  ["REQUEST", "to a person: a request"],
  ["REQUEST_REMINDER", "to a person: a reminder of a request"],
  ["REQUEST_CODE", "to a person: a code for a further device"],
  ["REQUEST_DECIDED", "to a person: what was decided"]
]

const work = "{organization}, {date}, {count}, {items} and {link}"
const card = "{organization}, {date}, {name}, {card}, {expiry} and {count}"
const asking = "{organization}, {date}, {name}, {items}, {expiry}, {message} and {link}"

const shown: Readonly<Record<Kind, string>> = {
  WEEKLY_DIGEST: work,
  RED_TODAY: work,
  CARD_EXPIRING: card,
  CARD_EXPIRED: card,
  REQUEST: asking,
  REQUEST_REMINDER: asking,
  REQUEST_CODE: "{organization}, {date}, {name} and {code}",
  REQUEST_DECIDED: "{organization}, {date}, {name}, {decision} and {reason}"
}

/** The placeholders of a template. */
export const placeholderHint = (kind: Kind): string =>
  `Placeholders: ${shown[kind]}. They are replaced when the message is sent.`
