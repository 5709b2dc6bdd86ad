import { totalLimit } from "@wcs/domain/resource/ListQuery"
import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { dialectOf } from "../engine/Dialect.ts"
import { type Asked, type Listed, type ListParts, makeListParts } from "./ListParts.ts"
import { isOfFew } from "./ResourceCondition.ts"
import { type ResourceRow, tableOf } from "./ResourceTable.ts"

interface Planned extends Asked {
  /** SELECTs of the locations of all rows of the people of some units, if these are few. */
  readonly few?: ReadonlyArray<Statement.Fragment>
}

/** FROM and WHERE: one condition finds the rows, the others filter them. */
const makeMatching = (sql: SqlClient.SqlClient, { joined, testsOf }: ListParts) => {
  const dialect = dialectOf(sql)
  return (asked: Planned): Statement.Fragment => {
    const { access, conditions, few, resource, tenantId } = asked
    const table = sql.literal(resource.type)
    if (few !== undefined) {
      // A join would be planned for many rows, and read the whole table. Locations in an array are fetched one by one.
      const isOneOf = sql`r.${dialect.rowPlace} = ANY (ARRAY(${joined(few, " UNION ALL ")}))`
      return sql`FROM ${table} AS r WHERE ${sql.and([isOneOf, sql`r.tenant_id = ${tenantId}`, ...testsOf(asked, conditions)])}`
    }
    const isFound = access !== undefined && access.parts?.length !== 1 && conditions[0]?._tag !== "Ids"
    const tests = [sql`r.tenant_id = ${tenantId}`, ...testsOf(asked, isFound ? conditions.slice(1) : conditions)]
    return isFound
      ? sql`FROM (${joined(access.places, " UNION ")}) AS found CROSS JOIN ${table} AS r
          WHERE ${sql.and([...tests, sql`r.${dialect.rowPlace} = found.place`])}`
      : sql`FROM ${table} AS r WHERE ${sql.and(tests)}`
  }
}

/** Until this many rows, those of the people of some units are found by these people, and sorted. */
const fewOfUnits = 2_000

/** The condition by units that finds the fewest rows: the unit that a filter names, or else the limit of the caller. */
const ofUnitsIn = ({ conditions, resource }: Asked) =>
  ("unit_id" in resource.columns ? undefined : conditions.find((each) => each._tag === "InUnit")) ??
  conditions.find((each) => each._tag === "Overseen")

/**
 * Finds the way to the rows of the people of some units. Statistics do not tell how many people units have, so the
 * planner would test each row of the tenant in the order of the list, for a unit of ten people as well.
 */
const makeOfUnits = (sql: SqlClient.SqlClient, { joined, reached }: ListParts) =>
  Effect.fnUntraced(function* (asked: Asked): Effect.fn.Return<Planned, SqlError.SqlError> {
    const { conditions, resource, tenantId } = asked
    const wanted = ofUnitsIn(asked)
    const isOfFewAnyway = conditions.some((condition) => isOfFew(resource, condition))
    if (wanted === undefined || isOfFewAnyway) return asked
    const places = reached(resource, tenantId, wanted, fewOfUnits + 1)
    if (places.length === 0) return asked
    const [counted] = yield* sql<{ readonly found: unknown }>`SELECT count(*) AS found
      FROM (SELECT 1 AS one FROM (${joined(places, " UNION ALL ")}) AS p LIMIT ${fewOfUnits + 1}) AS few`
    const others = conditions.filter((condition) => condition !== wanted)
    return Number(counted?.found) > fewOfUnits ? asked : { ...asked, conditions: others, few: places }
  })

/**
 * Reads lists on an engine that plans with statistics: one statement, one more for a total, and one more for people of some
 * units.
 */
export const makePlannedList = (sql: SqlClient.SqlClient) => {
  const parts = makeListParts(sql, dialectOf(sql), 0)
  const matching = makeMatching(sql, parts)
  const ofUnits = makeOfUnits(sql, parts)
  return {
    asked: parts.asked,
    list: Effect.fnUntraced(function* (wanted: Asked): Effect.fn.Return<Listed, SqlError.SqlError> {
      const asked = yield* ofUnits(wanted)
      const { resource, selection } = asked
      const { after, includeTotal, offset, pageSize, sort } = selection
      const from = matching(asked)
      const rows = yield* sql<ResourceRow>`SELECT ${sql.literal(tableOf(resource).columns.join(", "))}
        ${from}${parts.beyond(sort, after)} ORDER BY ${parts.order(sort)} LIMIT ${pageSize + 1} OFFSET ${offset}`
      if (!includeTotal) return { rows, total: undefined }
      const [counted] = yield* sql<{ readonly total: unknown }>`SELECT count(*) AS total
        FROM (SELECT 1 AS one ${from} LIMIT ${totalLimit}) AS counted`
      return { rows, total: Number(counted?.total) }
    })
  }
}
