import { repeated } from "@wcs/domain/resource/ListQuery"
import { Schema } from "effect"

// A repeated parameter arrives as an array. This is the only fault that the schema can find.
const text = (description: string) => Schema.optionalKey(Schema.String.annotate({ description, message: repeated }))

const includeDeleted = text("true: includes deleted items.")

/** The query parameters of every list (DECISIONS.md#resources). The domain checks their values. */
export const listParameters = {
  pageSize: text("Page size: 1 to 100. Default: 25."),
  cursor: text("meta.nextCursor of the previous page. Requires the same sort order."),
  page: text("Page number, from 1, up to row 10,000. Cannot be combined with cursor."),
  sort: text("Sort order: field:asc or field:desc."),
  includeDeleted,
  updatedAfter: text("Updated after this RFC 3339 time, exclusive."),
  updatedBefore: text("Updated before this RFC 3339 time, exclusive."),
  includeTotal: text("true: returns the number of matching items in meta.total.")
}

/** The query parameters of a list with paging but no filters. */
export const pageParameters = {
  pageSize: listParameters.pageSize,
  cursor: text("meta.nextCursor of the previous page.")
}

const { cursor, includeTotal, pageSize } = listParameters

/** The query parameters of a list in the order of creation. `done` is the verb for the description. */
export const seriesParameters = (done: string, byDefault: "asc" | "desc" = "asc") => ({
  pageSize,
  cursor,
  includeTotal,
  sort: text(`createdAt:asc or createdAt:desc, by the time ${done}. Default: createdAt:${byDefault}.`)
})

/** The query parameters of a list of revocable items: tokens, clients and sessions. */
export const issuedListParameters = {
  ...seriesParameters("created"),
  includeDeleted: text("true: includes revoked items.")
}

/** The query parameter of a revocation. */
export const revokeParameters = { cascade: text("true: also revokes everything that was created with it.") }

/** The query parameter of a read by id. */
export const readParameters = { includeDeleted }

export { text as parameter }
