import type { Item } from "../calls/Contract.ts"

export type Kind = Item<"GET /messages">["kind"]

/** The kinds of message, for people. */
export const kindNames: ReadonlyArray<readonly [Kind, string]> = [
  ["WEEKLY_DIGEST", "weekly digest"],
  ["RED_TODAY", "who may no longer work"]
]

/** The placeholders of a template. */
export const placeholderHint =
  "Placeholders: {organization}, {date}, {count}, {items} and {link}. They are replaced when the message is sent."
