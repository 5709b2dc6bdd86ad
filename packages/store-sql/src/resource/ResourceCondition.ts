import type { Condition, Sort } from "@wcs/domain/resource/ListQuery"
import type { Holder, Resource } from "@wcs/domain/resource/Resource"
import type { SqlClient, Statement } from "effect/sql"
import type { Dialect } from "../engine/Dialect.ts"
import { endOfPrefix } from "../engine/Prefix.ts"

/** How the rows of a condition are found. */
export interface Access {
  /** The index; if absent, rows are fetched from `places`. */
  readonly index?: string
  /** SELECTs that find the rows' locations by indexes alone. */
  readonly places: ReadonlyArray<Statement.Fragment>
  /** The column in whose order the rows come, ties by id. */
  readonly order?: string
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
export const rank = (resource: Resource, condition: Condition): number => {
  switch (condition._tag) {
    case "HeldBy":
      return 0
    case "Equal":
      return isClosedSet(resource, condition.column)
        ? 5
        : filterIndex(resource, condition.column).includes("_by_")
          ? 1
          : 3
    case "Prefix":
      return 2
    case "Before":
    case "From":
      return 4
    case "Lapsing":
      return 6
    case "UpdatedAfter":
    case "UpdatedBefore":
      return 7
  }
}

/** Whether the definition implies that few rows match. */
export const isOfFew = (resource: Resource, condition: Condition): boolean => rank(resource, condition) <= 1

/** SELECTs of rows' locations. */
const makePlaces = (sql: SqlClient.SqlClient, dialect: Dialect) => {
  const name = (text: string) => sql.literal(text)
  // Fetching by id would cost another primary-key lookup per row.
  const place = sql`r.${dialect.rowPlace} AS place`

  /** Postgres's statistics count '' as a common owner. Exclude it, or it overestimates lookups by owner. */
  const isHeld = (column: string) => (dialect.knowsCrowds ? sql` AND r.${name(column)} > ''` : name(""))

  /** The locations of rows whose owner has this value in its `lookup` column. Deleted owners are excluded. */
  const held = (resource: Resource, tenantId: string, holder: Holder, value: string) =>
    sql`SELECT ${place} FROM ${name(holder.resource)} AS o${dialect.indexedBy(`${holder.resource}_by_${holder.lookup}`)}
      CROSS JOIN ${name(resource.type)} AS r${dialect.indexedBy(`${resource.type}_of_${holder.column}`)}
      WHERE o.tenant_id = ${tenantId} AND o.${name(holder.lookup)} = ${value} AND o.deleted_at IS NULL
      AND r.tenant_id = ${tenantId} AND r.${name(holder.column)} = o.id${isHeld(holder.column)}`

  const placesBy = (resource: Resource, tenantId: string, index: string, condition: Statement.Fragment) =>
    sql`SELECT ${place} FROM ${name(resource.type)} AS r${dialect.indexedBy(index)}
      WHERE r.tenant_id = ${tenantId} AND ${condition}`

  const placesHeldBy = (
    resource: Resource,
    tenantId: string,
    { holders, value }: Extract<Condition, { _tag: "HeldBy" }>
  ) => holders.map((holder) => held(resource, tenantId, holder, value))

  return { placesBy, placesHeldBy }
}

/** The SQL of a list's conditions: to test a row, and to find the rows by an index. */
export const makeConditions = (sql: SqlClient.SqlClient, dialect: Dialect) => {
  const name = (text: string) => sql.literal(text)
  const { placesBy, placesHeldBy } = makePlaces(sql, dialect)

  const within = (column: string, from: string): Statement.Fragment => {
    const end = endOfPrefix(from)
    return end === undefined
      ? sql`r.${name(column)} >= ${from}`
      : sql`(r.${name(column)} >= ${from} AND r.${name(column)} < ${end})`
  }
  // '' is an absent value, which no filter finds
  const isBefore = (column: string, value: string) => sql`(r.${name(column)} > '' AND r.${name(column)} < ${value})`

  const union = (parts: ReadonlyArray<Statement.Fragment>) => sql.join(" UNION ", false)(parts)

  const test = (resource: Resource, tenantId: string, condition: Condition): Statement.Fragment => {
    switch (condition._tag) {
      case "Equal":
        return sql`r.${name(condition.column)} = ${condition.value}`
      case "Before":
        return isBefore(condition.column, condition.value)
      case "From":
        return sql`r.${name(condition.column)} >= ${condition.value}`
      case "Prefix":
        return sql`(${sql.or(condition.columns.map((column) => within(column, condition.value)))})`
      case "Lapsing": {
        const { column, lapsed, today, until, value } = condition
        return value === lapsed
          ? sql`(r.${name(column)} = ${value} OR ${isBefore(until, today)})`
          : sql`r.${name(column)} = ${value} AND NOT ${isBefore(until, today)}`
      }
      case "HeldBy":
        return sql`r.${dialect.rowPlace} IN (${union(placesHeldBy(resource, tenantId, condition))})`
      case "UpdatedAfter":
        return sql`r.updated_at > ${condition.value}`
      case "UpdatedBefore":
        return sql`r.updated_at < ${condition.value}`
    }
  }

  /** Rows with one value, in the requested order if an index has it, else in creation order. */
  const accessToEqual = (resource: Resource, tenantId: string, column: string, value: string, sort: Sort): Access => {
    const isSorted = sort.column === column
    const index = isSorted ? `${resource.type}_by_${column}` : filterIndex(resource, column)
    const order = isSorted ? column : index.includes("_by_") ? "id" : "created_at"
    return { index, order, places: [placesBy(resource, tenantId, index, sql`r.${name(column)} = ${value}`)] }
  }

  const accessTo = (resource: Resource, tenantId: string, condition: Condition, sort: Sort): Access => {
    const placesWhere = (column: string, tested: Statement.Fragment) =>
      placesBy(resource, tenantId, filterIndex(resource, column), tested)
    switch (condition._tag) {
      case "HeldBy":
        return { places: placesHeldBy(resource, tenantId, condition) }
      case "Prefix":
        return { places: condition.columns.map((column) => placesWhere(column, within(column, condition.value))) }
      case "Equal":
        return accessToEqual(resource, tenantId, condition.column, condition.value, sort)
      case "Lapsing": {
        const { column, lapsed, today, until, value } = condition
        if (value !== lapsed) return accessToEqual(resource, tenantId, column, value, sort)
        return {
          places: [placesWhere(column, sql`r.${name(column)} = ${value}`), placesWhere(until, isBefore(until, today))]
        }
      }
      case "Before":
      case "From": {
        const { column } = condition
        const places = [placesWhere(column, test(resource, tenantId, condition))]
        return { index: filterIndex(resource, column), order: column, places }
      }
      case "UpdatedAfter":
      case "UpdatedBefore": {
        const index = `${resource.type}_by_updated_at`
        const places = [placesBy(resource, tenantId, index, test(resource, tenantId, condition))]
        return { index, order: "updated_at", places }
      }
    }
  }

  return { accessTo, test, union }
}
