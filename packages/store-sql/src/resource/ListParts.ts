import type { Cursor, Selection, Sort } from "@wcs/domain/resource/ListQuery"
import type { Resource } from "@wcs/domain/resource/Resource"
import type { SqlClient, Statement } from "effect/sql"
import type { Dialect } from "../engine/Dialect.ts"
import { type Access, keysOf, makeConditions, rank, type Wanted } from "./ResourceCondition.ts"
import type { ResourceRow } from "./ResourceTable.ts"

/** The rows of a page and one more, if there is one. The total only if the selection asks for it. */
export interface Listed {
  readonly rows: ReadonlyArray<ResourceRow>
  readonly total: number | undefined
}

/** A list, and the way to its rows. */
export interface Asked {
  readonly resource: Resource
  readonly tenantId: string
  /** The most selective one is first. */
  readonly conditions: ReadonlyArray<Wanted>
  readonly selection: Selection
  /** The way to the rows of the first condition. */
  readonly access: Access | undefined
}

/** The parts of a list's statements. Names come from the definition, values are parameters. */
export const makeListParts = (sql: SqlClient.SqlClient, dialect: Dialect, few: number) => {
  const name = (text: string) => sql.literal(text)
  const { accessTo, joined, reached, test } = makeConditions(sql, dialect, few)

  const asked = (resource: Resource, tenantId: string, given: ReadonlyArray<Wanted>, selection: Selection): Asked => {
    const conditions = given.toSorted((one, two) => rank(resource, one) - rank(resource, two))
    const [first, ...others] = conditions
    const access = first === undefined ? undefined : accessTo(resource, tenantId, first, selection.sort, others)
    return { resource, tenantId, conditions, selection, access }
  }

  /** The conditions, on a row `r`. */
  const testsOf = (
    { resource, selection, tenantId }: Asked,
    conditions: ReadonlyArray<Wanted>
  ): ReadonlyArray<Statement.Fragment> => [
    ...(selection.includeDeleted ? [] : [sql`r.deleted_at IS NULL`]),
    ...conditions.map((condition) => test(resource, tenantId, condition))
  ]

  /** Tests whether a row comes after a cursor. */
  const isBeyond = ({ direction, column }: Sort, after: Cursor): Statement.Fragment => {
    const operator = name(direction === "asc" ? ">" : "<")
    return column === "id"
      ? sql`r.id ${operator} ${after.id}`
      : sql`(r.${name(column)}, r.id) ${operator} (${after.key}, ${after.id})`
  }

  const beyond = (sort: Sort, after: Cursor | undefined): Statement.Fragment =>
    after === undefined ? name("") : sql` AND ${isBeyond(sort, after)}`

  const order = (sort: Sort): Statement.Fragment => {
    const way = sort.direction === "asc" ? "ASC" : "DESC"
    const keys = keysOf(sort).map((column) => `r.${column} ${way}`)
    return name(keys.join(", "))
  }

  return { accessTo, asked, beyond, isBeyond, joined, order, reached, testsOf }
}

export type ListParts = ReturnType<typeof makeListParts>
