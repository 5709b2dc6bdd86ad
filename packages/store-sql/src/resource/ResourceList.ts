import { type Condition, type Cursor, type Selection, type Sort, totalLimit } from "@wcs/domain/resource/ListQuery"
import type { Resource } from "@wcs/domain/resource/Resource"
import { Context } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { Dialect } from "../engine/Dialect.ts"
import { type Access, isOfFew, makeConditions, rank } from "./ResourceCondition.ts"
import { type ResourceRow, tableOf } from "./ResourceTable.ts"

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
  /** A read in list order, as an alternative if the index does not return rows in that order. */
  readonly walk: Walk | undefined
}

export const makeListStatements = (
  sql: SqlClient.SqlClient,
  dialect: Dialect,
  { few, walked }: (typeof ListReach)["Service"]
) => {
  const name = (text: string) => sql.literal(text)
  const { accessTo, test, union } = makeConditions(sql, dialect)

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
