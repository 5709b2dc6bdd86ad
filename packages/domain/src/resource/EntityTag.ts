import { isLapsed, type Moment } from "../shared/CalendarDay.ts"
import { columnValue, type Resource, type Stored } from "./Resource.ts"

/** Names a state of a resource (RFC 9110, section 8.8.3; DECISIONS.md#concurrency). */
export interface EntityTag {
  /** The strong tag with its quotes, as in `ETag`. */
  readonly text: string
  /** Whether equal tags mean equal documents. False if the document shows values that are stored elsewhere. */
  readonly isWhole: boolean
}

/** What a tag is made of. `until` is the value of the column `verbatim.until`; the empty string if absent. */
type State = Pick<Stored, "version" | "updatedAt"> & { readonly until: string; readonly isUnreachable: boolean }

/** The mark of an answer that says that no message reaches the person. */
const unreachableMark = "-unreachable"

/**
 * Returns the tag of a resource as it reads on a day. The version changes with every write. The time also differs
 * after a restore, which repeats versions. The suffixes are for documents that read differently without a write: after
 * their last day, and while no message reaches the person.
 */
export const tagOn = (
  { verbatim }: Resource,
  { isUnreachable, until, updatedAt, version }: State,
  today: string
): EntityTag => {
  const lapsed = until !== "" && isLapsed(until, today) ? "-lapsed" : ""
  return {
    text: `"${version}-${updatedAt.toString(36)}${lapsed}${isUnreachable ? unreachableMark : ""}"`,
    isWhole: verbatim !== undefined
  }
}

/** The tag that a write compares. A mail server that refuses an address does not change the record. */
export const writtenTag = (tag: string): string => tag.replace(new RegExp(`${unreachableMark}"$`), '"')

/** Returns the tag of a stored resource as it reads at a time. */
export const tagAt = (resource: Resource, stored: Stored, { today }: Pick<Moment, "today">): EntityTag => {
  const column = resource.verbatim?.until
  const until = column === undefined ? "" : columnValue(resource, column, stored.fields)
  return tagOn(resource, { ...stored, until, isUnreachable: false }, today)
}
