import { ownerTypes } from "@wcs/domain/ownership/Ownership"
import { baseSorts, defaultPageSize, maxPageSize, repeated, withoutUnit } from "@wcs/domain/resource/ListQuery"
import type { Filter, Resource } from "@wcs/domain/resource/Resource"
import { time } from "@wcs/domain/resource/ShownFields"
import { idSchema, UnitId } from "@wcs/domain/shared/Id"
import { CalendarDate } from "@wcs/domain/shared/Instant"
import { Schema, SchemaAST } from "effect"

const key = "typeOfText"

/**
 * A query parameter. The domain checks its text, so that error messages are the same everywhere. `type` only says in
 * the OpenAPI document what the domain accepts.
 */
export const parameter = (description: string, type: Schema.Top = Schema.String) =>
  // A repeated parameter arrives as an array. This is the only fault that the schema can find.
  Schema.optionalKey(Schema.String.annotate({ description, message: repeated, [key]: type }))

/** A query parameter that may be repeated. `type` is that of each text. */
export const repeatable = (description: string, type: Schema.Top, most: number) =>
  Schema.optionalKey(
    Schema.Union([Schema.Array(Schema.String), Schema.String]).annotate({
      description,
      [key]: Schema.Array(type).check(Schema.isMaxLength(most))
    })
  )

/** Returns the type of a parameter's text. */
export const typeOfText = (ast: SchemaAST.AST): Schema.Top | undefined => {
  const type = SchemaAST.resolve(ast)?.[key]
  return Schema.isSchema(type) ? type : undefined
}

const flag = Schema.Boolean.annotate({ default: false })

/** The search of a list. The same for all lists, so that the OpenAPI document has it once. */
export const search = parameter(
  "Search by beginnings of words in the names, email addresses and external ids, codes or card numbers of the items, in " +
    "any order. Letter case, accents, hyphens and apostrophes do not matter."
)

/** A whole number from 1. */
export const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

/** `pageSize` of a list. */
export const pageSizeUpTo = (most: number) =>
  parameter(`Items per page. A value above ${most} counts as ${most}.`, count.annotate({ default: defaultPageSize }))

const includeDeleted = parameter("true: includes deleted items.", flag)

/** The query parameters of every list (DECISIONS.md#resources), except `sort`. */
export const listParameters = {
  pageSize: pageSizeUpTo(maxPageSize),
  cursor: parameter("`meta.nextCursor` of the previous page. Requires the same filters and sort order."),
  page: parameter("Page number, up to row 10,000. Cannot be combined with `cursor`.", count),
  includeDeleted,
  updatedAfter: parameter(
    "Updated after this RFC 3339 time, exclusive. Not for copies, which would miss rows: use `GET /changes`.",
    time
  ),
  updatedBefore: parameter("Updated before this RFC 3339 time, exclusive.", time),
  includeTotal: parameter("true: returns the number of matching items in `meta.total`.", flag)
}

const inEitherDirection = (fields: ReadonlyArray<string>) =>
  Schema.Literals(fields.flatMap((field) => [`${field}:asc`, `${field}:desc`]))

/** `sort` of a resource's list. */
export const sortOf = ({ sorts }: Pick<Resource, "sorts">) =>
  parameter(
    "The order of the list. Items with equal values follow in the order of their ids.",
    inEitherDirection([...Object.keys(baseSorts), ...Object.keys(sorts)]).annotate({ default: "createdAt:asc" })
  )

/** `unit` of a list of people. */
export const unit = parameter(
  `People of the unit with this id and of all units below it, or \`${withoutUnit}\`: people without a unit.`
)

/** `unreachable` of a list of people. */
export const unreachable = parameter(
  "`true`: people whom no e-mail of the service reaches. The mail server refused the last message to them that it answered, " +
    "or they have no address, and the address has not changed since.",
  Schema.Literal("true")
)

/** `unit` of a list of records about people, such as `Credentials`. */
export const unitOf = (records: string) =>
  parameter(
    `${records} of people of the unit with this id and of all units below it, or \`${withoutUnit}\`: of people without a unit.`
  )

/** The query parameters of a list with paging but no filters. */
export const pageParameters = {
  pageSize: listParameters.pageSize,
  cursor: parameter("`meta.nextCursor` of the previous page.")
}

const { cursor, includeTotal, pageSize } = listParameters

/** The query parameters of a list in the order of creation. `done` is the verb for the description. */
export const timelineParameters = (done: string, byDefault: "asc" | "desc" = "asc") => ({
  pageSize,
  cursor,
  includeTotal,
  sort: parameter(
    `The order of the list, by the time ${done}.`,
    inEitherDirection(["createdAt"]).annotate({ default: `createdAt:${byDefault}` })
  )
})

/** The query parameters of a list of revocable items: tokens, clients and sessions. */
export const issuedListParameters = {
  ...timelineParameters("created"),
  includeDeleted: parameter("true: includes revoked items.", flag)
}

/** The query parameter of a revocation. */
export const revokeParameters = { cascade: parameter("true: also revokes everything that was created with it.", flag) }

/** The query parameter of a read by id. */
export const readParameters = { includeDeleted }

/** `asOf` of the calls that also answer about the past (DECISIONS.md#as-of). */
export const asOf = parameter(
  "Answers as of this RFC 3339 time. A date, YYYY-MM-DD, means the end of that day in the time zone of the organization. " +
    "The time must not be in the future, nor before the history of the organization begins.",
  Schema.Union([time, CalendarDate])
)

const typeOfFilter = (filter: Filter): Schema.Top => {
  switch (filter.by) {
    case "equal":
      return filter.of !== undefined ? idSchema(filter.of) : among(filter.among)
    case "lapsing":
      return among(filter.among)
    case "before":
    case "from":
      return CalendarDate
    case "slot":
      return Schema.Union(ownerTypes.map((type) => idSchema(type)))
    case "unit":
      return Schema.Union([UnitId, Schema.Literal(withoutUnit)])
    case "words":
    case "holder":
      return Schema.String
  }
}

const among = (values: ReadonlyArray<string> | undefined): Schema.Top => {
  if (values === undefined) return Schema.String
  return values.join() === "true,false" ? Schema.Boolean : Schema.Literals(values)
}

/** Returns the type of each filter of a resource's list, as the domain accepts it. */
export const filterTypes = ({ filters }: Pick<Resource, "filters">): Readonly<Record<string, Schema.Top>> =>
  Object.fromEntries(
    Object.entries(filters).flatMap(([name, filter]) => [
      [name, typeOfFilter(filter)] as const,
      ...(filter.by === "slot" ? [[filter.type, Schema.Literals(Object.keys(filter.columns))] as const] : [])
    ])
  )
