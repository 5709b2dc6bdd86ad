import type { Resource } from "@wcs/domain/resource/Resource"
import { Context } from "effect"

/** How an endpoint uses the entity tag of its resource (DECISIONS.md#concurrency). */
export interface TagUse {
  /** Whether the answer has the tag in `ETag`. */
  readonly isShown: boolean
  /** Whether the call checks `If-Match` and `If-None-Match` in the transaction that writes. */
  readonly isCompared: boolean
  /** Whether equal tags mean equal documents, so that a read can answer 304. */
  readonly isWhole: boolean
}

/**
 * The use of tags by an endpoint. By default none: then a call with tags in `If-Match` is refused, because none can match.
 */
export const TagsOf = Context.Reference<TagUse>("@wcs/api/Tags", {
  defaultValue: () => ({ isShown: false, isCompared: false, isWhole: false })
})

/** For reads and creates of a resource. */
export const showsTag = ({ verbatim }: Pick<Resource, "type" | "verbatim">): TagUse => ({
  isShown: true,
  isCompared: false,
  isWhole: verbatim !== undefined
})

/** For changes of one resource. */
export const comparesTag: TagUse = { isShown: true, isCompared: true, isWhole: false }

/** For deletes. */
export const comparesOnly: TagUse = { isShown: false, isCompared: true, isWhole: false }
