import type { Json } from "../wire/Json.ts"

/** What can be wrong with an answer: closed, so that machines can go by it. */
export const differenceKinds = [
  /** There was no answer: the connection was refused, reset or timed out. */
  "no-answer",
  "status",
  "not-json",
  /** A field or a header is not there. */
  "missing",
  "wrong-value",
  "wrong-type",
  /** Something is there that must not be. */
  "unexpected",
  /** Something changed that had to stay as it was. */
  "changed",
  /** Something stayed as it was that had to change. */
  "unchanged",
  /** Something is shown that must be kept secret. */
  "disclosed",
  /** Two things are the same that have to differ. */
  "repeated"
] as const
export type DifferenceKind = (typeof differenceKinds)[number]

/** One expectation that an answer did not meet. */
export interface Difference {
  readonly kind: DifferenceKind
  /** The number of the exchange whose answer it is. */
  readonly exchange: number
  /** Where in the answer: `status`, `header x-request-id`, `body`, `body.error.code`. */
  readonly at: string
  /** What was expected, as a value or in words. */
  readonly expected: Json
  /** What was there; null where nothing was. */
  readonly actual: Json
}

/**
 * Places that are in no answer: what was called one after another, and what overlapped. A difference there has for its
 * actual value a story, line by line.
 */
export const callsPlace = "calls"
export const historyPlace = "history"

/** The lines of a story; undefined for a difference that tells none. */
export const storyOf = ({ actual, at }: Pick<Difference, "actual" | "at">): ReadonlyArray<string> | undefined =>
  (at === callsPlace || at === historyPlace) && Array.isArray(actual) ? actual.map(String) : undefined
