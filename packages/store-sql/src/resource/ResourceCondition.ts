import type { OwnerType } from "@wcs/domain/ownership/Ownership"
import { ownerColumns } from "@wcs/domain/people/Owner"
import type { Complying, Condition, Sort } from "@wcs/domain/resource/ListQuery"
import type { Holder, Resource } from "@wcs/domain/resource/Resource"
import type { SqlClient, Statement } from "effect/sql"
import { makeComplyingCondition } from "../compliance/ComplyingCondition.ts"
import type { Dialect } from "../engine/Dialect.ts"
import { makeOversight } from "./Oversight.ts"
import { wordsTest } from "./SearchRows.ts"

/** A condition of a list, the kept compliance of workers, or ids. */
export type Wanted =
  | Exclude<Condition, { readonly _tag: "HeldBy" | "InUnit" }>
  /** `account`: only by owners and people whom this limited account reaches. */
  | (Extract<Condition, { readonly _tag: "HeldBy" | "InUnit" }> & { readonly account?: string | undefined })
  /** The rows that a limited account reaches. */
  | { readonly _tag: "Overseen"; readonly account: string }
  /** The owner in the column is one whom a limited account reaches. */
  | { readonly _tag: "OverseenOwner"; readonly account: string; readonly owner: OwnerType }
  /** The unit above is one that a limited account reaches. */
  | { readonly _tag: "OverseenParent"; readonly account: string; readonly column: string }
  | (Omit<Extract<Complying, { readonly _tag: "Kept" }>, "_tag"> & { readonly _tag: "Complying" })
  | { readonly _tag: "Ids"; readonly ids: ReadonlyArray<string> }

/** A part of an index: the entries with one value of a column, or with a range of values. */
export interface IndexPart {
  readonly index: string
  /** The value, if all entries have the same. */
  readonly fixed?: { readonly column: string; readonly value: string }
  readonly lower?: Statement.Fragment
  readonly upper?: Statement.Fragment
  /** The columns of the index behind those with one value. */
  readonly keys: ReadonlyArray<string>
}

/** How the rows of a condition are found: in parts of indexes, or by their owners. */
export interface Access {
  /** Together they have all rows, and a row may be in several. Absent if rows are found by owners. */
  readonly parts?: ReadonlyArray<IndexPart>
  /** SELECTs of the owners by which rows are found. */
  readonly owners: ReadonlyArray<Statement.Fragment>
  /** SELECTs that find the rows' locations only by indexes. */
  readonly places: ReadonlyArray<Statement.Fragment>
}

/** The keys of rows in the order of a list. */
export const keysOf = ({ column }: Sort): ReadonlyArray<string> => (column === "id" ? ["id"] : [column, "id"])

/** The part of an index that has the rows in the order of a list, if there is one. */
export const partInOrder = ({ parts = [] }: Access, sort: Sort): IndexPart | undefined => {
  const [part, ...others] = parts
  if (part === undefined || others.length > 0) return undefined
  // Rows with one value of the sort column are in the order of their ids.
  const wanted = part.fixed?.column === sort.column ? ["id"] : keysOf(sort)
  return String(part.keys) === String(wanted) ? part : undefined
}

const isClosedSet = (resource: Resource, column: string): boolean =>
  Object.values(resource.filters).some(
    (filter) => "among" in filter && filter.among !== undefined && filter.column === column
  )

/**
 * The index for a column's value. Few rows share an external id: they are sorted after the lookup. Many share a status:
 * they are read in creation order, the default order of lists.
 */
const filterIndex = (resource: Resource, column: string): string => {
  const isSorted = Object.values(resource.sorts).includes(column)
  return `${resource.type}_${isSorted && !isClosedSet(resource, column) ? "by" : "of"}_${column}`
}

/** Ranks conditions by expected selectivity. The best one selects the index. */
export const rank = (resource: Resource, condition: Wanted): number => {
  switch (condition._tag) {
    case "Ids":
    case "HeldBy":
      return 0
    case "Equal":
      return isClosedSet(resource, condition.column)
        ? 5
        : filterIndex(resource, condition.column).includes("_by_")
          ? 1
          : 3
    case "Complying":
      return 5
    case "Before":
    case "From":
      return 4
    case "Lapsing":
      return 6
    case "UpdatedAfter":
    case "UpdatedBefore":
      return 7
    case "Words":
      return 8
    case "InUnit":
      return condition.unit === undefined ? 6 : 9
    case "Overseen":
      return 10
    case "OverseenOwner":
    case "OverseenParent":
      return 11
    case "Unequal":
      return 12
  }
}

/** Whether the definition implies that few rows match. */
export const isOfFew = (resource: Resource, condition: Wanted): boolean => rank(resource, condition) <= 1

const fixedOf = (sql: SqlClient.SqlClient, { fixed }: IndexPart): ReadonlyArray<Statement.Fragment> =>
  fixed === undefined ? [] : [sql`r.${sql.literal(fixed.column)} = ${fixed.value}`]

/** The conditions of a part on a row `r`. */
export const conditionsOf = (sql: SqlClient.SqlClient, part: IndexPart): ReadonlyArray<Statement.Fragment> =>
  [...fixedOf(sql, part), part.lower, part.upper].filter((condition) => condition !== undefined)

/** The most rows that a SELECT returns: one more than `few` on an engine in this process, else all. */
const makeMost = (sql: SqlClient.SqlClient, dialect: Dialect, few: number): Statement.Fragment =>
  dialect.blocks ? sql` LIMIT ${few + 1}` : sql.literal("")

/** SELECTs of rows' locations. */
const makePlaces = (sql: SqlClient.SqlClient, dialect: Dialect, few: number) => {
  const name = (text: string) => sql.literal(text)
  const oversight = makeOversight(sql, dialect)
  const most = makeMost(sql, dialect, few)
  // Fetching by id would cost another primary-key lookup per row.
  const place = sql`r.${dialect.rowPlace} AS place`

  /** Postgres's statistics count '' as a common owner. Exclude it, or it overestimates lookups by owner. */
  const isHeld = (column: string) => (dialect.knowsCrowds ? sql` AND r.${name(column)} > ''` : name(""))

  /** Whether a limited account reaches the owner \`o\`. */
  const isReached = (tenantId: string, account: string | undefined) =>
    account === undefined ? name("") : sql` AND ${oversight.isIn("o.unit_id", tenantId, { account })}`

  /** Owners with this value in their `lookup` column, deleted ones too. */
  const owners = (tenantId: string, holder: Holder, value: string, account?: string) =>
    sql`SELECT o.id, o.deleted_at
      FROM ${name(holder.resource)} AS o${dialect.indexedBy(`${holder.resource}_by_${holder.lookup}`)}
      WHERE o.tenant_id = ${tenantId} AND o.${name(holder.lookup)} = ${value}${isReached(tenantId, account)}${most}`

  /** The locations of rows of these owners. Deleted owners are excluded. */
  const held = (resource: Resource, tenantId: string, holder: Holder, value: string, account?: string) =>
    sql`SELECT ${place} FROM (${owners(tenantId, holder, value, account)}) AS o
      CROSS JOIN ${name(resource.type)} AS r${dialect.indexedBy(`${resource.type}_of_${holder.column}`)}
      WHERE o.deleted_at IS NULL
      AND r.tenant_id = ${tenantId} AND r.${name(holder.column)} = o.id${isHeld(holder.column)}${most}`

  const placesIn = (resource: Resource, tenantId: string, part: IndexPart) =>
    sql`SELECT ${place} FROM ${name(resource.type)} AS r${dialect.indexedBy(part.index)}
      WHERE ${sql.and([sql`r.tenant_id = ${tenantId}`, ...conditionsOf(sql, part)])}${most}`

  /** Tests whether the owner of a row has a value, row by row: the number of owners is unknown. */
  const isHeldBy = (tenantId: string, { column, lookup, resource }: Holder, value: string, account?: string) =>
    sql`EXISTS (SELECT 1 FROM ${name(resource)} AS o WHERE o.tenant_id = ${tenantId} AND o.id = r.${name(column)}
      AND o.${name(lookup)} = ${value} AND o.deleted_at IS NULL${isReached(tenantId, account)})`

  return { held, isHeldBy, owners, placesIn }
}

/** The index entries of one value, in the requested order if an index has it, else in creation order. */
const partOfEqual = (resource: Resource, column: string, value: string, sort: Sort): IndexPart => {
  const index = sort.column === column ? `${resource.type}_by_${column}` : filterIndex(resource, column)
  return { index, fixed: { column, value }, keys: index.includes("_by_") ? ["id"] : ["created_at", "id"] }
}

/** The index entries of a range of values. */
const partOfRange = (
  resource: Resource,
  column: string,
  range: Pick<IndexPart, "lower" | "upper">,
  index = filterIndex(resource, column)
): IndexPart => ({
  index,
  ...range,
  keys: index.includes("_by_") ? [column, "id"] : [column, "created_at", "id"]
})

/** The column of a range, or of a value. */
const columnOf = (condition: Wanted): string => ("column" in condition ? condition.column : "updated_at")

/** Ranges of values. */
const makeBetween = (sql: SqlClient.SqlClient) => {
  const name = (text: string) => sql.literal(text)

  // '' is an absent value, which no filter finds
  const before = (column: string, value: string) => ({
    lower: sql`r.${name(column)} > ''`,
    upper: sql`r.${name(column)} < ${value}`
  })
  const isBefore = (column: string, value: string) => {
    const { lower, upper } = before(column, value)
    return sql.and([lower, upper])
  }

  const atLeast = (condition: Wanted) => {
    if (condition._tag === "UpdatedAfter") return sql`r.updated_at > ${condition.value}`
    return condition._tag === "From" ? sql`r.${name(condition.column)} >= ${condition.value}` : undefined
  }
  const below = (condition: Wanted) => {
    if (condition._tag === "UpdatedBefore") return sql`r.updated_at < ${condition.value}`
    return condition._tag === "Before" ? before(condition.column, condition.value).upper : undefined
  }

  /** The range that conditions leave of a column. With one end only, all rows beyond the other one would be read. */
  const between = (column: string, conditions: ReadonlyArray<Wanted>): Pick<IndexPart, "lower" | "upper"> => {
    const own = conditions.filter((condition) => columnOf(condition) === column)
    const lower = own.map(atLeast).find((end) => end !== undefined)
    const upper = own.map(below).find((end) => end !== undefined)
    const known = lower ?? (column === "updated_at" ? undefined : sql`r.${name(column)} > ''`)
    return { ...(known === undefined ? {} : { lower: known }), ...(upper === undefined ? {} : { upper }) }
  }

  return { before, between, isBefore }
}

type OfUnits = Extract<Wanted, { readonly _tag: "InUnit" | "Overseen" | "OverseenOwner" | "OverseenParent" }>

const isOfUnits = (condition: Wanted): condition is OfUnits =>
  ["InUnit", "Overseen", "OverseenOwner", "OverseenParent"].includes(condition._tag)

/** The SQL of conditions by units. */
const makeOfUnits = (sql: SqlClient.SqlClient, dialect: Dialect, few: number) => {
  const oversight = makeOversight(sql, dialect)
  const { placesIn } = makePlaces(sql, dialect, few)

  return {
    lookups: oversight.lookups,

    test: (resource: Resource, tenantId: string, condition: OfUnits): Statement.Fragment => {
      switch (condition._tag) {
        case "InUnit":
        case "Overseen":
          return oversight.test(resource, tenantId, condition)
        case "OverseenOwner":
          return oversight.reaches(condition.owner, `r.${ownerColumns[condition.owner]}`, tenantId, condition)
        case "OverseenParent":
          return oversight.isIn(`r.${condition.column}`, tenantId, condition)
      }
    },

    accessTo: (resource: Resource, tenantId: string, condition: OfUnits, sort: Sort): Access | undefined => {
      if (condition._tag === "OverseenOwner" || condition._tag === "OverseenParent") return undefined
      if (condition._tag === "InUnit" && condition.unit === undefined && "unit_id" in resource.columns) {
        const part = partOfEqual(resource, "unit_id", "", sort)
        return { parts: [part], owners: [], places: [placesIn(resource, tenantId, part)] }
      }
      // An engine with statistics of its own asks how many rows there are first (`PlannedList.ts`).
      if (!dialect.blocks) return undefined
      const places = oversight.places(resource, tenantId, condition, makeMost(sql, dialect, few))
      return places.length === 0 ? undefined : { owners: [], places }
    }
  }
}

/** The parts of indexes that have the rows of a condition. The `others` may narrow its range. */
const makeParts = (sql: SqlClient.SqlClient) => {
  const { before, between } = makeBetween(sql)
  return (
    resource: Resource,
    condition: Exclude<Wanted, OfUnits | { readonly _tag: "HeldBy" | "Ids" | "Unequal" | "Words" }>,
    sort: Sort,
    others: ReadonlyArray<Wanted>
  ): ReadonlyArray<IndexPart> => {
    switch (condition._tag) {
      case "Equal":
        return [partOfEqual(resource, condition.column, condition.value, sort)]
      case "Complying":
        return [
          {
            index: "worker_of_compliance",
            fixed: { column: "compliance", value: condition.result },
            keys: ["created_at", "id"]
          }
        ]
      case "Lapsing": {
        const { column, lapsed, today, until, value } = condition
        const equal = partOfEqual(resource, column, value, sort)
        return value === lapsed ? [equal, partOfRange(resource, until, before(until, today))] : [equal]
      }
      case "Before":
      case "From":
        return [partOfRange(resource, condition.column, between(condition.column, [condition, ...others]))]
      case "UpdatedAfter":
      case "UpdatedBefore":
        return [
          partOfRange(
            resource,
            "updated_at",
            between("updated_at", [condition, ...others]),
            `${resource.type}_by_updated_at`
          )
        ]
    }
  }
}

/** The SQL of a list's conditions: to test a row, and to find the rows by an index. */
export const makeConditions = (sql: SqlClient.SqlClient, dialect: Dialect, few: number) => {
  const name = (text: string) => sql.literal(text)
  const { held, isHeldBy, owners, placesIn } = makePlaces(sql, dialect, few)
  const ofUnits = makeOfUnits(sql, dialect, few)
  const { isBefore } = makeBetween(sql)
  const partsOf = makeParts(sql)
  const complying = makeComplyingCondition(sql, dialect, makeMost(sql, dialect, few))

  /** Each SELECT has its own limit, so it is in parentheses by a FROM. */
  const joined = (parts: ReadonlyArray<Statement.Fragment>, operator: " UNION " | " UNION ALL ") =>
    sql.join(operator, false)(parts.map((part) => (dialect.blocks ? sql`SELECT * FROM (${part})` : part)))

  const among = (ids: ReadonlyArray<string>) => dialect.isAmong("r.id", JSON.stringify(ids))

  const test = (resource: Resource, tenantId: string, condition: Wanted): Statement.Fragment => {
    switch (condition._tag) {
      case "Equal":
        return sql`r.${name(condition.column)} = ${condition.value}`
      case "Unequal":
        return sql`r.${name(condition.column)} <> ${condition.value}`
      case "Before":
        return isBefore(condition.column, condition.value)
      case "From":
        return sql`r.${name(condition.column)} >= ${condition.value}`
      case "Words":
        return wordsTest(sql, condition.sought)
      case "Ids":
        return among(condition.ids)
      case "Lapsing": {
        const { column, lapsed, today, until, value } = condition
        return value === lapsed
          ? sql`(r.${name(column)} = ${value} OR ${isBefore(until, today)})`
          : sql`r.${name(column)} = ${value} AND NOT ${isBefore(until, today)}`
      }
      case "HeldBy": {
        const { account, holders, value } = condition
        if (dialect.blocks) return sql`(${sql.or(holders.map((holder) => isHeldBy(tenantId, holder, value, account)))})`
        const places = holders.map((holder) => held(resource, tenantId, holder, value, account))
        return sql`r.${dialect.rowPlace} IN (${joined(places, " UNION ")})`
      }
      case "Complying":
        return complying.test(tenantId, condition)
      case "InUnit":
      case "Overseen":
      case "OverseenOwner":
      case "OverseenParent":
        return ofUnits.test(resource, tenantId, condition)
      case "UpdatedAfter":
        return sql`r.updated_at > ${condition.value}`
      case "UpdatedBefore":
        return sql`r.updated_at < ${condition.value}`
    }
  }

  /** No index has the rows of a search or of all values but one in an order of lists, nor those of workers who pass some checks. */
  const accessTo = (
    resource: Resource,
    tenantId: string,
    condition: Wanted,
    sort: Sort,
    others: ReadonlyArray<Wanted> = []
  ): Access | undefined => {
    if (condition._tag === "Words" || condition._tag === "Unequal") return undefined
    if (isOfUnits(condition)) {
      return ofUnits.accessTo(resource, tenantId, condition, sort)
    }
    if (condition._tag === "Complying" && condition.checks !== undefined) {
      if (condition.result === "PASS") return undefined
      const places = complying.places(tenantId, condition.checks)
      return { parts: partsOf(resource, condition, sort, others), owners: [], places }
    }
    if (condition._tag === "Ids") {
      const isAmong = sql.and([sql`r.tenant_id = ${tenantId}`, among(condition.ids)])
      const found = sql`SELECT r.${dialect.rowPlace} AS place FROM ${name(resource.type)} AS r WHERE ${isAmong}`
      return { owners: [], places: [found] }
    }
    if (condition._tag === "HeldBy") {
      const { account, holders, value } = condition
      return {
        owners: holders.map((holder) => sql`SELECT 1 AS place FROM (${owners(tenantId, holder, value, account)}) AS o`),
        places: holders.map((holder) => held(resource, tenantId, holder, value, account))
      }
    }
    const parts = partsOf(resource, condition, sort, others)
    return { parts, owners: [], places: parts.map((part) => placesIn(resource, tenantId, part)) }
  }

  return { accessTo, joined, reached: ofUnits.lookups, test }
}
