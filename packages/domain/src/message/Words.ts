import type { DigestPart, MessageKind } from "./MessageKind.ts"
import type { Template } from "./Template.ts"

/** A sentence about a number: for one, and for any other number as `{count}`. */
export interface Counted {
  readonly one: string
  readonly other: string
}

/** The words of a language. A further language is one more file, and its row in `languages`. */
export interface Words {
  /** Templates for tenants without their own. */
  readonly templates: Readonly<Record<MessageKind, Template>>
  /** The lines of a digest. `{oldest}` is the day of the oldest row. */
  readonly parts: Readonly<Record<DigestPart, Counted>>
  /** Ends a list that names only the first items. */
  readonly more: Counted
  /** The same without a number: the people were too many to count. */
  readonly manyMore: string
  /** A person in a sample, and what else a sample shows. */
  readonly somebody: string
  readonly sampleMessage: string
  /** What was decided about an answer. */
  readonly decisions: { readonly accepted: string; readonly rejected: string }
}

/** Returns the sentence about a number. */
export const counted = ({ one, other }: Counted, count: number): string =>
  count === 1 ? one : other.replaceAll("{count}", String(count))
