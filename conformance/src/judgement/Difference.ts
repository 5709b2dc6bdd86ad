import type { Json } from "../text/Json.ts"

/** The kinds of differences. The set is closed, so that programs can rely on it. */
export const differenceKinds = [
  /** No response: the connection was refused or reset, or timed out. */
  "no-answer",
  "status",
  "not-json",
  /** A field or a header is missing. */
  "missing",
  "wrong-value",
  "wrong-type",
  /** A value is present that must be absent. */
  "unexpected",
  /** A value changed that must not change. */
  "changed",
  /** A value did not change that must change. */
  "unchanged",
  /** A secret was disclosed. */
  "disclosed",
  /** Two values are equal that must differ. */
  "repeated"
] as const
export type DifferenceKind = (typeof differenceKinds)[number]

/** One difference between a response and an expectation. */
export interface Difference {
  readonly kind: DifferenceKind
  /** The number of the exchange. */
  readonly exchange: number
  /** The position in the response: `status`, `header x-request-id`, `body`, `body.error.code`. */
  readonly at: string
  /** The expected value, as a value or in words. */
  readonly expected: Json
  /** The actual value; null if there was none. */
  readonly actual: Json
  /** The call and the caller of the exchange: `POST /workers by a personal token`. */
  readonly place?: string
}

/**
 * Positions outside of responses: sequences of calls and concurrent calls. The actual value of such a difference is a
 * timeline: one line for each call.
 */
export const callsPosition = "calls"
export const historyPosition = "history"

/** Returns the lines of a timeline; undefined for other differences. */
export const storyOf = ({ actual, at }: Pick<Difference, "actual" | "at">): ReadonlyArray<string> | undefined =>
  (at === callsPosition || at === historyPosition) && Array.isArray(actual) ? actual.map(String) : undefined
