import { clockSlackMillis, type TimelineSelection } from "@wcs/domain/resource/Timeline"
import type { SqlClient } from "effect/sql"
import { dialectOf } from "./Dialect.ts"

/**
 * Converts a time range to a range of positions. Every index of the timeline ends in the position, so only rows of the
 * range are read. Times follow positions up to the slack: the range includes the slack, and each row's time is tested
 * as well.
 */
export const makeTimeTests = (
  sql: SqlClient.SqlClient,
  { index, name, time }: { readonly index: string; readonly name: string; readonly time: string }
) => {
  const dialect = dialectOf(sql)

  /**
   * Binary search for a moment among the positions of a tenant; times follow positions. `low` and `high` end up
   * adjacent: the first row from `low` on was written before the moment, the first row from `high` on was not.
   */
  const searched = (tenantId: string, side: "low" | "high", moment: number) => {
    const rows = (alias: string) =>
      sql`FROM ${sql.literal(`${name} AS ${alias}`)}${dialect.indexedBy(index)} WHERE ${sql.literal(alias)}.tenant_id = ${tenantId}`
    const isBefore = sql`(SELECT p.${sql.literal(time)} ${rows("p")}
      AND p.position >= (low + high) / 2 ORDER BY p.position LIMIT 1) < ${moment}`
    return sql`(WITH RECURSIVE search(low, high) AS (
      SELECT CAST(0 AS BIGINT), (SELECT COALESCE(max(m.position), 0) + 1 ${rows("m")})
      UNION ALL
      SELECT CASE WHEN ${isBefore} THEN (low + high) / 2 ELSE low END, CASE WHEN ${isBefore} THEN high ELSE (low + high) / 2 END
      FROM search WHERE high - low > 1
    ) SELECT ${sql.literal(side)} FROM search WHERE high - low <= 1)`
  }

  return (tenantId: string, { from, to }: Pick<TimelineSelection<never>, "from" | "to">) => {
    const at = sql.literal(`r.${time}`)
    return {
      timed: [
        ...(from === undefined ? [] : [sql`${at} >= ${from}`]),
        ...(to === undefined ? [] : [sql`${at} < ${to}`])
      ],
      lowest: from === undefined ? [] : [sql`r.position >= ${searched(tenantId, "low", from - clockSlackMillis)}`],
      highest: to === undefined ? [] : [sql`r.position < ${searched(tenantId, "high", to + clockSlackMillis)}`]
    }
  }
}
