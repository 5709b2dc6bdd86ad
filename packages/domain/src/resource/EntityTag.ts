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
type State = Pick<Stored, "version" | "updatedAt"> & { readonly until: string }

/**
 * Returns the tag of a resource as it reads on a day. The version changes with every write. The time also differs
 * after a restore, which repeats versions. The suffix is for documents that read differently after their last day.
 */
export const tagOn = ({ verbatim }: Resource, { until, updatedAt, version }: State, today: string): EntityTag => ({
  text: `"${version}-${updatedAt.toString(36)}${until !== "" && isLapsed(until, today) ? "-lapsed" : ""}"`,
  isWhole: verbatim !== undefined
})

/** Returns the tag of a stored resource as it reads at a time. */
export const tagAt = (resource: Resource, stored: Stored, { today }: Pick<Moment, "today">): EntityTag => {
  const column = resource.verbatim?.until
  const until = column === undefined ? "" : columnValue(resource, column, stored.fields)
  return tagOn(resource, { ...stored, until }, today)
}
