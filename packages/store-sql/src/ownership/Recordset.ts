import type { SqlClient, Statement } from "effect/sql"
import type { Text } from "../engine/Query.ts"

/**
 * The objects of a JSON array as rows with these columns, for Postgres. Unlike a batch of `keepForBatches` the statement
 * has one text for all rows, so that it is planned once.
 */
export const recordset = (
  sql: SqlClient.SqlClient,
  alias: string,
  columns: Readonly<Record<string, string>>,
  json: Text
): Statement.Fragment => {
  const typed = Object.entries(columns).map(([name, type]) => `${name} ${type}`)
  return sql`json_to_recordset(CAST(CAST(${json} AS TEXT) AS JSON)) AS ${sql.literal(`${alias} (${typed.join(", ")})`)}`
}
