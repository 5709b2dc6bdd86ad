import { totalLimit } from "@wcs/domain/resource/ListQuery"
import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { dialectOf } from "../engine/Dialect.ts"
import { type Asked, type Listed, type ListParts, makeListParts } from "./ListParts.ts"
import { type ResourceRow, tableOf } from "./ResourceTable.ts"

/** FROM and WHERE: one condition finds the rows, the others filter them. */
const makeMatching = (sql: SqlClient.SqlClient, { joined, testsOf }: ListParts) => {
  const dialect = dialectOf(sql)
  return (asked: Asked): Statement.Fragment => {
    const { access, conditions, resource, tenantId } = asked
    const table = sql.literal(resource.type)
    const isFound = access !== undefined && access.parts?.length !== 1 && conditions[0]?._tag !== "Ids"
    const tests = [sql`r.tenant_id = ${tenantId}`, ...testsOf(asked, isFound ? conditions.slice(1) : conditions)]
    return isFound
      ? sql`FROM (${joined(access.places, " UNION ")}) AS found CROSS JOIN ${table} AS r
          WHERE ${sql.and([...tests, sql`r.${dialect.rowPlace} = found.place`])}`
      : sql`FROM ${table} AS r WHERE ${sql.and(tests)}`
  }
}

/**
 * The lists of which a list consists, without common rows. Postgres joins workers with a kept result, or finds workers by
 * their ids. For both in one condition, it would read every worker.
 */
const makeApart =
  ({ asked }: ListParts) =>
  (whole: Asked): ReadonlyArray<Asked> => {
    const { conditions, resource, selection, tenantId } = whole
    const complying = conditions.find((condition) => condition._tag === "Complying")
    if (complying === undefined || complying.also.length === 0) return [whole]
    const others = conditions.filter((condition) => condition !== complying)
    const kept = { ...complying, also: [], except: [...complying.except, ...complying.also] }
    return [kept, { _tag: "Ids" as const, ids: complying.also }].map((one) =>
      asked(resource, tenantId, [...others, one], selection)
    )
  }

/** Reads lists on an engine that plans with statistics: one statement, and one more for a total. */
export const makePlannedList = (sql: SqlClient.SqlClient) => {
  const parts = makeListParts(sql, dialectOf(sql), 0)
  const matching = makeMatching(sql, parts)
  const apart = makeApart(parts)
  const all = sql.join(" UNION ALL ", false)
  return {
    asked: parts.asked,
    list: Effect.fnUntraced(function* (whole: Asked): Effect.fn.Return<Listed, SqlError.SqlError> {
      const { resource, selection } = whole
      const { after, includeTotal, offset, pageSize, sort } = selection
      const lists = apart(whole).map(matching)
      const columns = sql.literal(tableOf(resource).columns.join(", "))
      const key = sql.literal(sort.column)
      const pageOf = (from: Statement.Fragment, limit: number, skipped: number) =>
        sql<ResourceRow>`SELECT ${columns}, r.${key} AS sort_key ${from}${parts.beyond(sort, after)}
          ORDER BY ${parts.order(sort)} LIMIT ${limit} OFFSET ${skipped}`
      const [first, ...others] = lists
      const rows =
        first !== undefined && others.length === 0
          ? yield* pageOf(first, pageSize + 1, offset)
          : yield* sql<ResourceRow>`SELECT * FROM (
              ${all(lists.map((from) => sql`(${pageOf(from, pageSize + 1 + offset, 0)})`))}
            ) AS r ORDER BY ${parts.order({ ...sort, column: "sort_key" })} LIMIT ${pageSize + 1} OFFSET ${offset}`
      if (!includeTotal) return { rows, total: undefined }
      const ones = all(lists.map((found) => sql`(SELECT 1 AS one ${found} LIMIT ${totalLimit})`))
      const [counted] = yield* sql<{ readonly total: unknown }>`SELECT count(*) AS total
        FROM (SELECT 1 AS one FROM (${ones}) AS found LIMIT ${totalLimit}) AS counted`
      return { rows, total: Number(counted?.total) }
    })
  }
}
