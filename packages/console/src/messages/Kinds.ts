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

/** Names the placeholders of a template. */
export const placeholderHint = (names: ReadonlyArray<string>): string =>
  `Placeholders: ${names.map((name) => `{${name}}`).join(", ")}. They are replaced when the message is sent.`
