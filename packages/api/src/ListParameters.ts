import { repeated } from "@wcs/domain/resource/ListQuery"
import { Schema } from "effect"

// A parameter comes as one text or, where it is repeated, as several: this is all that can be wrong here.
const text = (description: string) => Schema.optionalKey(Schema.String.annotate({ description, message: repeated }))

const includeDeleted = text("true: what is deleted too.")

/** The query parameters that every list takes (DECISIONS.md#resources). The domain judges their values. */
export const listParameters = {
  pageSize: text("How many at most: 1 to 100, 25 by default."),
  cursor: text("Where the page begins: meta.nextCursor of the page before, in the same order."),
  page: text("The page by number, from 1, up to row 10,000; not beside cursor."),
  sort: text("field:asc or field:desc."),
  includeDeleted,
  updatedAfter: text("RFC 3339 time, exclusive."),
  updatedBefore: text("RFC 3339 time, exclusive."),
  includeTotal: text("true: count what matches into meta.total.")
}

/** The query parameters of what goes through all of a resource. */
export const pageParameters = {
  pageSize: listParameters.pageSize,
  cursor: text("Where the page begins: meta.nextCursor of the page before.")
}

const { cursor, includeTotal, pageSize } = listParameters

/** The query parameters of a list in the order in which its rows came to be, which `done` says in a word. */
export const seriesParameters = (done: string, byDefault: "asc" | "desc" = "asc") => ({
  pageSize,
  cursor,
  includeTotal,
  sort: text(`createdAt:asc or createdAt:desc: the order in which they were ${done}. Default: createdAt:${byDefault}.`)
})

/** The query parameters of a list of what is handed out and ends by being revoked. */
export const issuedListParameters = {
  ...seriesParameters("made"),
  includeDeleted: text("true: revoked ones too.")
}

/** The query parameter of revoking what is handed out. */
export const revokeParameters = { cascade: text("true: everything that came from it ends too.") }

/** The query parameter of reading one. */
export const readParameters = { includeDeleted }

export { text as parameter }
