import { type Condition, type Cursor, type Selection, type Sort, totalLimit } from "@wcs/domain/ListQuery"
import type { Holder, Resource } from "@wcs/domain/Resource"
import type { SqlClient, Statement } from "effect/sql"
import type { Dialect } from "./Dialect.ts"
import { endOfPrefix } from "./Prefix.ts"
import { type ResourceRow, tableOf } from "./ResourceTable.ts"

/** How the rows are reached: by an index, or one by one from ids that are found first. */
type Access =
  | { readonly _tag: "Index"; readonly index: string }
  | { readonly _tag: "Ids"; readonly ids: Statement.Fragment }

/** The statements of a list. Names come from the definition, values are parameters. */
export interface ListStatements {
  /** One row more than the page has, so that it is known whether more follow. */
  readonly page: Statement.Statement<ResourceRow>
  readonly total: Statement.Statement<{ readonly total: unknown }>
}

const isClosedSet = (resource: Resource, column: string): boolean =>
  Object.values(resource.filters).some(
    (filter) => "among" in filter && filter.among !== undefined && filter.column === column
  )

/**
 * The index that finds a column's value. Few rows share an external id: those are sorted once they are found. Many
 * share a status: those are read in the order of creation, which is the order of a list that names none.
 */
const filterIndex = (resource: Resource, column: string): string => {
  const isSorted = Object.values(resource.sorts).includes(column)
  return `${resource.type}_${isSorted && !isClosedSet(resource, column) ? "by" : "of"}_${column}`
}

/** Which condition leaves the fewest rows, as far as a definition can tell: it decides how the rows are reached. */
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
      return 4
    case "Lapsing":
      return 6
    case "UpdatedAfter":
    case "UpdatedBefore":
      return 7
  }
}

export const makeListStatements = (sql: SqlClient.SqlClient, dialect: Dialect) => {
  const name = (text: string) => sql.literal(text)

  const within = (column: string, from: string): Statement.Fragment => {
    const end = endOfPrefix(from)
    return end === undefined
      ? sql`r.${name(column)} >= ${from}`
      : sql`(r.${name(column)} >= ${from} AND r.${name(column)} < ${end})`
  }
  const isBefore = (column: string, value: string) => sql`(r.${name(column)} > '' AND r.${name(column)} < ${value})` // absent is '' and before nothing

  /** The ids of what owners hold that are found by their own column, deleted owners apart. */
  const held = (resource: Resource, tenantId: string, holder: Holder, value: string) =>
    sql`SELECT r.id FROM ${name(holder.resource)} AS o${dialect.indexedBy(`${holder.resource}_by_${holder.lookup}`)}
      CROSS JOIN ${name(resource.type)} AS r${dialect.indexedBy(`${resource.type}_of_${holder.column}`)}
      WHERE o.tenant_id = ${tenantId} AND o.${name(holder.lookup)} = ${value} AND o.deleted_at IS NULL
      AND r.tenant_id = ${tenantId} AND r.${name(holder.column)} = o.id`

  const idsWhere = (resource: Resource, tenantId: string, column: string, condition: Statement.Fragment) =>
    sql`SELECT r.id FROM ${name(resource.type)} AS r${dialect.indexedBy(filterIndex(resource, column))}
      WHERE r.tenant_id = ${tenantId} AND ${condition}`

  const union = (parts: ReadonlyArray<Statement.Fragment>) => sql.join(" UNION ", false)(parts)

  const idsHeldBy = (
    resource: Resource,
    tenantId: string,
    { holders, value }: Extract<Condition, { _tag: "HeldBy" }>
  ) => union(holders.map((holder) => held(resource, tenantId, holder, value)))

  const test = (resource: Resource, tenantId: string, condition: Condition): Statement.Fragment => {
    switch (condition._tag) {
      case "Equal":
        return sql`r.${name(condition.column)} = ${condition.value}`
      case "Before":
        return isBefore(condition.column, condition.value)
      case "Prefix":
        return sql`(${sql.or(condition.columns.map((column) => within(column, condition.value)))})`
      case "Lapsing": {
        const { column, lapsed, today, until, value } = condition
        return value === lapsed
          ? sql`(r.${name(column)} = ${value} OR ${isBefore(until, today)})`
          : sql`r.${name(column)} = ${value} AND NOT ${isBefore(until, today)}`
      }
      case "HeldBy":
        return sql`r.id IN (${idsHeldBy(resource, tenantId, condition)})`
      case "UpdatedAfter":
        return sql`r.updated_at > ${condition.value}`
      case "UpdatedBefore":
        return sql`r.updated_at < ${condition.value}`
    }
  }

  const accessBy = (resource: Resource, tenantId: string, condition: Condition): Access => {
    switch (condition._tag) {
      case "HeldBy":
        return { _tag: "Ids", ids: idsHeldBy(resource, tenantId, condition) }
      case "Prefix": {
        const found = condition.columns.map((column) =>
          idsWhere(resource, tenantId, column, within(column, condition.value))
        )
        return { _tag: "Ids", ids: union(found) }
      }
      case "Lapsing": {
        const { column, lapsed, today, until, value } = condition
        if (value !== lapsed) return { _tag: "Index", index: filterIndex(resource, column) }
        const verdict = idsWhere(resource, tenantId, column, sql`r.${name(column)} = ${value}`)
        return { _tag: "Ids", ids: union([verdict, idsWhere(resource, tenantId, until, isBefore(until, today))]) }
      }
      case "Equal":
      case "Before":
        return { _tag: "Index", index: filterIndex(resource, condition.column) }
      case "UpdatedAfter":
      case "UpdatedBefore":
        return { _tag: "Index", index: `${resource.type}_by_updated_at` }
    }
  }

  /** FROM and WHERE: one condition reaches the rows, the others test them. */
  const matching = (
    resource: Resource,
    tenantId: string,
    conditions: ReadonlyArray<Condition>,
    includeDeleted: boolean
  ): Statement.Fragment => {
    const table = name(resource.type)
    const [first, ...others] = conditions.toSorted((one, two) => rank(resource, one) - rank(resource, two))
    const access = first === undefined ? undefined : accessBy(resource, tenantId, first)
    const tests = [
      sql`r.tenant_id = ${tenantId}`,
      ...(includeDeleted ? [] : [sql`r.deleted_at IS NULL`]),
      ...(access?._tag === "Ids" ? others : conditions).map((condition) => test(resource, tenantId, condition))
    ]
    if (access?._tag === "Ids") {
      // A CROSS JOIN is what it says on Postgres, and on SQLite the order in which the tables are read too.
      return sql`FROM (${access.ids}) AS found CROSS JOIN ${table} AS r WHERE ${sql.and([...tests, sql`r.id = found.id`])}`
    }
    const index = access === undefined ? sql.literal("") : dialect.indexedBy(access.index)
    return sql`FROM ${table} AS r${index} WHERE ${sql.and(tests)}`
  }

  const beyond = ({ column, direction }: Sort, { id, key }: Cursor): Statement.Fragment => {
    const after = name(direction === "asc" ? ">" : "<")
    return column === "id"
      ? sql` AND r.id ${after} ${id}`
      : sql` AND (r.${name(column)}, r.id) ${after} (${key}, ${id})`
  }

  const order = ({ column, direction }: Sort): Statement.Fragment => {
    const way = direction === "asc" ? "ASC" : "DESC"
    return name(column === "id" ? `r.id ${way}` : `r.${column} ${way}, r.id ${way}`)
  }

  return (
    resource: Resource,
    tenantId: string,
    conditions: ReadonlyArray<Condition>,
    selection: Selection
  ): ListStatements => {
    const { after, includeDeleted, offset, pageSize, sort } = selection
    const from = matching(resource, tenantId, conditions, includeDeleted)
    const rest = after === undefined ? sql.literal("") : beyond(sort, after)
    const limit = pageSize + 1
    return {
      page: sql<ResourceRow>`SELECT ${name(tableOf(resource).selected)} ${from}${rest}
        ORDER BY ${order(sort)} LIMIT ${limit} OFFSET ${offset}`,
      total: sql`SELECT count(*) AS total FROM (SELECT 1 AS one ${from} LIMIT ${totalLimit}) AS counted`
    }
  }
}
