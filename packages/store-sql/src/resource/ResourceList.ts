import { type Condition, type Cursor, type Selection, type Sort, totalLimit } from "@wcs/domain/resource/ListQuery"
import type { Holder, Resource } from "@wcs/domain/resource/Resource"
import { Context } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { Dialect } from "../engine/Dialect.ts"
import { endOfPrefix } from "../engine/Prefix.ts"
import { type ResourceRow, tableOf } from "./ResourceTable.ts"

/** How the rows of a condition are found. */
interface Access {
  /** The index; if absent, rows are fetched from `places`. */
  readonly index?: string
  /** SELECTs that find the rows' locations by indexes alone. */
  readonly places: ReadonlyArray<Statement.Fragment>
  /** The column in whose order the rows come, ties by id. */
  readonly order?: string
}

/** `few`: sort in memory up to this many rows. `walked`: rows per query above that. */
export const ListReach = Context.Reference<{ readonly few: number; readonly walked: number }>(
  "@wcs/store-sql/ResourceList/ListReach",
  { defaultValue: () => ({ few: 1_000, walked: 5_000 }) }
)

/** Reads a list in its own order, in chunks, until the page is full. Fast if many rows match. */
export interface Walk {
  /** Whether the first condition matches more than `few` rows. */
  readonly crowd: Statement.Statement<unknown>
  /** The last row of the chunk after a row, or of the first chunk. None if no full chunk is left. */
  readonly endOf: (after: Cursor | undefined) => Statement.Statement<Cursor>
  /** The matching rows of a chunk, up to a limit. */
  readonly matching: (
    after: Cursor | undefined,
    end: Cursor | undefined,
    limit: number
  ) => Statement.Statement<ResourceRow>
}

/** The statements of a list. Names come from the definition, values are parameters. */
export interface ListStatements {
  /** Reads one row more than the page, to know whether another page follows. */
  readonly page: Statement.Statement<ResourceRow>
  readonly total: Statement.Statement<{ readonly total: unknown }>
  /** An alternative, if the index does not return rows in page order. */
  readonly walk: Walk | undefined
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
const rank = (resource: Resource, condition: Condition): number => {
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
const isOfFew = (resource: Resource, condition: Condition): boolean => rank(resource, condition) <= 1

export const makeListStatements = (
  sql: SqlClient.SqlClient,
  dialect: Dialect,
  { few, walked }: (typeof ListReach)["Service"]
) => {
  const name = (text: string) => sql.literal(text)
  // Fetching by id would cost another primary-key lookup per row.
  const place = sql`r.${dialect.rowPlace} AS place`

  const within = (column: string, from: string): Statement.Fragment => {
    const end = endOfPrefix(from)
    return end === undefined
      ? sql`r.${name(column)} >= ${from}`
      : sql`(r.${name(column)} >= ${from} AND r.${name(column)} < ${end})`
  }
  const isBefore = (column: string, value: string) => sql`(r.${name(column)} > '' AND r.${name(column)} < ${value})` // absent is '' and before nothing

  /** Postgres's statistics count '' as a common owner. Exclude it, or it overestimates lookups by owner. */
  const isHeld = (column: string) => (dialect.knowsCrowds ? sql` AND r.${name(column)} > ''` : name(""))

  /** The locations of rows held by owners that are found by a column of theirs. Deleted owners are excluded. */
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

  /** FROM and WHERE: one condition finds the rows, the others filter them. */
  const matching = (
    resource: Resource,
    tenantId: string,
    conditions: ReadonlyArray<Condition>,
    includeDeleted: boolean,
    access: Access | undefined
  ): Statement.Fragment => {
    const table = name(resource.type)
    const isFound = access !== undefined && access.index === undefined
    const tests = [
      sql`r.tenant_id = ${tenantId}`,
      ...(includeDeleted ? [] : [sql`r.deleted_at IS NULL`]),
      ...(isFound ? conditions.slice(1) : conditions).map((condition) => test(resource, tenantId, condition))
    ]
    if (isFound) {
      // On Postgres a plain CROSS JOIN. On SQLite it also fixes the order in which the tables are read.
      return sql`FROM (${union(access.places)}) AS found CROSS JOIN ${table} AS r
        WHERE ${sql.and([...tests, sql`r.${dialect.rowPlace} = found.place`])}`
    }
    const index = access?.index === undefined ? sql.literal("") : dialect.indexedBy(access.index)
    return sql`FROM ${table} AS r${index} WHERE ${sql.and(tests)}`
  }

  const compared = ({ column }: Sort, operator: string, { id, key }: Cursor): Statement.Fragment =>
    column === "id"
      ? sql` AND r.id ${name(operator)} ${id}`
      : sql` AND (r.${name(column)}, r.id) ${name(operator)} (${key}, ${id})`

  const beyond = (sort: Sort, after: Cursor | undefined): Statement.Fragment =>
    after === undefined ? sql.literal("") : compared(sort, sort.direction === "asc" ? ">" : "<", after)

  const upTo = (sort: Sort, end: Cursor | undefined): Statement.Fragment =>
    end === undefined ? sql.literal("") : compared(sort, sort.direction === "asc" ? "<=" : ">=", end)

  const order = ({ column, direction }: Sort): Statement.Fragment => {
    const way = direction === "asc" ? "ASC" : "DESC"
    return name(column === "id" ? `r.id ${way}` : `r.${column} ${way}, r.id ${way}`)
  }

  /** The index of a sort order. The order by id uses the primary key. */
  const sortIndex = ({ type }: Resource, { column }: Sort): string =>
    column === "id" ? `sqlite_autoindex_${type}_1` : `${type}_by_${column}`

  const walkOf = (
    resource: Resource,
    tenantId: string,
    conditions: ReadonlyArray<Condition>,
    { includeDeleted, sort }: Selection,
    { places }: Access
  ): Walk => {
    const index = sortIndex(resource, sort)
    const all = sql`FROM ${name(resource.type)} AS r${dialect.indexedBy(index)} WHERE r.tenant_id = ${tenantId}`
    const from = matching(resource, tenantId, conditions, includeDeleted, { index, places })
    return {
      crowd: sql`SELECT 1 AS one FROM (${sql.join(" UNION ALL ", false)(places)}) LIMIT 1 OFFSET ${few}`,
      endOf: (after) => sql<Cursor>`SELECT r.${name(sort.column)} AS key, r.id AS id ${all}${beyond(sort, after)}
        ORDER BY ${order(sort)} LIMIT 1 OFFSET ${walked}`,
      matching: (after, end, limit) => sql<ResourceRow>`SELECT ${name(tableOf(resource).selected)}
        ${from}${beyond(sort, after)}${upTo(sort, end)} ORDER BY ${order(sort)} LIMIT ${limit}`
    }
  }

  return (
    resource: Resource,
    tenantId: string,
    given: ReadonlyArray<Condition>,
    selection: Selection
  ): ListStatements => {
    const { after, includeDeleted, offset, pageSize, sort } = selection
    const conditions = given.toSorted((one, two) => rank(resource, one) - rank(resource, two))
    const [first] = conditions
    const access = first === undefined ? undefined : accessTo(resource, tenantId, first, sort)
    const from = matching(resource, tenantId, conditions, includeDeleted, access)
    const isWalked =
      access !== undefined && first !== undefined && !isOfFew(resource, first) && access.order !== sort.column
    return {
      page: sql<ResourceRow>`SELECT ${name(tableOf(resource).selected)} ${from}${beyond(sort, after)}
        ORDER BY ${order(sort)} LIMIT ${pageSize + 1} OFFSET ${offset}`,
      total: sql`SELECT count(*) AS total FROM (SELECT 1 AS one ${from} LIMIT ${totalLimit}) AS counted`,
      walk: dialect.knowsCrowds || !isWalked ? undefined : walkOf(resource, tenantId, conditions, selection, access)
    }
  }
}
