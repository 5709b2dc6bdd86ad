import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The schema of the database, as Postgres describes it. */
export const postgresSchema = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const lines = yield* sql<{ readonly line: string }>`
    SELECT line COLLATE "C" AS line FROM (
      SELECT concat_ws(' ', table_name, column_name, data_type, collation_name, is_nullable, column_default) AS line
        FROM information_schema.columns WHERE table_schema = 'public'
      UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
    ) AS described ORDER BY 1`
  return lines.map(({ line }) => line)
})
