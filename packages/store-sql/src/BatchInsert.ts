import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { Dialect } from "./Dialect.ts"

type Value = string | number | null

/** The columns that a batch fills, in their order, and what each holds. */
export type BatchColumns = Readonly<Record<string, "TEXT" | "BIGINT">>

/** The row of a batch. */
export type BatchRow<Columns extends BatchColumns> = { readonly [Column in keyof Columns]: Value }

/**
 * Inserts any number of rows with one statement, in their order. What is the same in all of them, as most of a batch's
 * audit entries is, is said once: only the rest is taken out of JSON row by row, which is what costs. `condition` may
 * speak of a row as `fresh`.
 */
export const insertBatch = <Columns extends BatchColumns>(
  sql: SqlClient.SqlClient,
  dialect: Dialect,
  table: string,
  columns: Columns,
  rows: ReadonlyArray<BatchRow<Columns>>,
  condition: Statement.Fragment
): Effect.Effect<void, SqlError.SqlError> => {
  const [first] = rows
  if (first === undefined) return Effect.void
  const names = Object.keys(columns)
  const varying = names.filter((name) => rows.some((row) => row[name] !== first[name]))
  const selected = names.map((name) =>
    varying.includes(name)
      ? sql.literal(`CAST(value ->> '${name}' AS ${columns[name]}) AS ${name}`)
      : sql`CAST(${first[name]} AS ${sql.literal(columns[name] ?? "TEXT")}) AS ${sql.literal(name)}`
  )
  const json = JSON.stringify(rows.map((row) => Object.fromEntries(varying.map((name) => [name, row[name]]))))
  return Effect.asVoid(sql`
    INSERT INTO ${sql.literal(table)} (${sql.literal(names.join(", "))})
    SELECT * FROM (SELECT ${sql.csv(selected)} FROM ${dialect.objects(json)}) AS fresh WHERE ${condition}`)
}
