import type { SqlClient, Statement } from "effect/sql"
import type { Dialect } from "./Dialect.ts"
import { keep, type Query } from "./Query.ts"

type Value = string | number | null

/** The columns of a batch, in their order, and what each holds. */
export type BatchColumns = Readonly<Record<string, "TEXT" | "BIGINT">>

/** The row of a batch. */
export type BatchRow<Columns extends BatchColumns> = { readonly [Column in keyof Columns]: Value }

/** A statement about the rows of a batch. */
export type BatchStatement<Columns extends BatchColumns> = (
  rows: readonly [BatchRow<Columns>, ...ReadonlyArray<BatchRow<Columns>>]
) => Statement.Statement<object>

/**
 * Keeps a statement about any number of rows, which `build` is given as a SELECT. What is the same in all of them, as
 * most of a batch's audit entries is, is said once: only the rest is taken out of JSON row by row, which is what costs.
 * Of a single row nothing is.
 */
export const keepForBatches = <Columns extends BatchColumns>(
  sql: SqlClient.SqlClient,
  dialect: Dialect,
  columns: Columns,
  build: (batch: Statement.Fragment, isOne: boolean) => Statement.Statement<object>
): BatchStatement<Columns> => {
  const names = Object.keys(columns)
  const kept = new Map<string, Query<Record<string, Value>, object>>()

  const make = (isOne: boolean, varying: ReadonlyArray<string>) =>
    keep<Record<string, Value>, object>(sql, (at) => {
      const selected = names.map((name) => {
        const value = varying.includes(name) ? sql.literal(`value ->> '${name}'`) : sql`${at(name)}`
        return sql`CAST(${value} AS ${sql.literal(columns[name] ?? "TEXT")}) AS ${sql.literal(name)}`
      })
      const source = isOne ? sql.literal("") : sql` FROM ${dialect.objects(at("json"))}`
      return build(sql`SELECT ${sql.csv(selected)}${source}`, isOne)
    })

  return (rows) => {
    const [first, ...others] = rows
    const isOne = others.length === 0
    const varying = isOne ? [] : names.filter((name) => others.some((row) => row[name] !== first[name]))
    const shape = `${isOne} ${varying}`
    const statement = kept.get(shape) ?? make(isOne, varying)
    kept.set(shape, statement)
    return statement({ ...first, json: isOne ? null : JSON.stringify(rows, varying) })
  }
}
