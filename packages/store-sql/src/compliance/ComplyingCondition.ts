import type { Complying } from "@wcs/domain/resource/ListQuery"
import type { SqlClient, Statement } from "effect/sql"
import type { Dialect } from "../engine/Dialect.ts"

type Kept = Omit<Extract<Complying, { readonly _tag: "Kept" }>, "_tag">

/** The SQL about workers `r` by their kept results. `most`: the LIMIT of a SELECT of locations. */
export const makeComplyingCondition = (sql: SqlClient.SqlClient, dialect: Dialect, most: Statement.Fragment) => {
  const among = (column: string, texts: ReadonlyArray<string>) => dialect.isAmong(column, JSON.stringify(texts))

  const failures = (tenantId: string, checks: ReadonlyArray<string>) =>
    sql`f.tenant_id = ${tenantId} AND ${among("f.check_id", checks)}`

  /** Fails at least one of the checks, or passes each. A worker without results does neither. */
  const hasResult = (tenantId: string, { checks, result }: Kept) => {
    if (checks === undefined) return sql`r.compliance = ${result}`
    const fails = sql`EXISTS (SELECT 1 FROM compliance_failure AS f
      WHERE ${failures(tenantId, checks)} AND f.worker_id = r.id)`
    return result === "FAIL"
      ? sql`(r.compliance = 'FAIL' AND ${fails})`
      : sql`(r.compliance IN ('PASS', 'FAIL') AND NOT ${fails})`
  }

  return {
    test: (tenantId: string, kept: Kept): Statement.Fragment =>
      kept.except.length === 0
        ? hasResult(tenantId, kept)
        : sql`(${hasResult(tenantId, kept)} AND NOT ${among("r.id", kept.except)})`,

    /** SELECTs of the locations of the workers that fail at least one of the checks, each once. */
    places: (tenantId: string, checks: ReadonlyArray<string>): ReadonlyArray<Statement.Fragment> => [
      sql`SELECT DISTINCT r.${dialect.rowPlace} AS place FROM compliance_failure AS f CROSS JOIN worker AS r
        WHERE ${failures(tenantId, checks)} AND r.tenant_id = ${tenantId} AND r.id = f.worker_id${most}`
    ]
  }
}
