import type { SqlClient, Statement } from "effect/sql"
import { type Dialect, dialectOf } from "./Dialect.ts"
import { type At, keep, type Query } from "./Query.ts"
import { changes, type Script } from "./Script.ts"

type Value = string | number | null

/** The columns of a batch, in their order, and what each holds. */
export type BatchColumns = Readonly<Record<string, "TEXT" | "BIGINT">>

/** The row of a batch. */
export type BatchRow<Columns extends BatchColumns> = { readonly [Column in keyof Columns]: Value }

/** A batch as it stands in a statement. */
export interface Batch {
  /** A SELECT of its rows. */
  readonly rows: Statement.Fragment
  readonly isOne: boolean
}

/** What is the same in all rows of a batch, and what has to be said of each. */
interface Shape {
  readonly isOne: boolean
  readonly varying: ReadonlyArray<string>
}

const shapeOf = <Columns extends BatchColumns>(columns: Columns, rows: ReadonlyArray<BatchRow<Columns>>): Shape => {
  const [first, ...others] = rows
  const varies = (name: string) => others.some((row) => row[name] !== first?.[name])
  return { isOne: others.length === 0, varying: Object.keys(columns).filter(varies) }
}

/** Batches as they stand in a statement; one of no rows does not. */
export type Standing<Tables> = { readonly [Name in keyof Tables]?: Batch | undefined }

/** The rows of a statement's batches, by their names. */
type Batches<Tables> = {
  readonly [Name in keyof Tables]: ReadonlyArray<BatchRow<Tables[Name] extends BatchColumns ? Tables[Name] : never>>
}

/**
 * Keeps a statement about any number of rows of several batches, each of which `build` is given as a SELECT. What is the
 * same in all rows, as most of a batch's audit entries is, is said once: only the rest is taken out of JSON row by row,
 * which is what costs. Of a single row nothing is.
 */
export const keepForSeveralBatches = <
  Tables extends Readonly<Record<string, BatchColumns>>,
  Values extends Readonly<Record<string, Value>>,
  Row extends object
>(
  sql: SqlClient.SqlClient,
  dialect: Dialect,
  tables: Tables,
  build: (batches: Standing<Tables>, at: At<Values>) => Statement.Statement<Row>
) => {
  const kept = new Map<string, Query<Record<string, unknown>, Row>>()

  const make = (shapes: Readonly<Record<string, Shape | undefined>>) =>
    keep<Record<string, unknown>, Row>(sql, (at) => {
      const batchOf = (table: string, { isOne, varying }: Shape): Batch => {
        const selected = Object.entries(tables[table] ?? {}).map(([name, type]) => {
          const value = varying.includes(name) ? sql.literal(`value ->> '${name}'`) : sql`${at(`${table}.${name}`)}`
          return sql`CAST(${value} AS ${sql.literal(type)}) AS ${sql.literal(name)}`
        })
        const source = isOne ? sql.literal("") : sql` FROM ${dialect.objects(at(`${table} as JSON`))}`
        return { rows: sql`SELECT ${sql.csv(selected)}${source}`, isOne }
      }
      const batches = Object.entries(shapes).map(([table, shape]) => [table, shape && batchOf(table, shape)] as const)
      return build(Object.fromEntries(batches) as Standing<Tables>, (name) => at(name))
    })

  return (rows: Batches<Tables>, values: Values): Statement.Statement<Row> => {
    const filled: Record<string, unknown> = { ...values }
    const shapes: Record<string, Shape | undefined> = {}
    let key = ""
    for (const [table, columns] of Object.entries(tables)) {
      const batch: ReadonlyArray<BatchRow<BatchColumns>> = rows[table] ?? []
      const [first] = batch
      if (first === undefined) continue
      const shape = shapeOf(columns, batch)
      shapes[table] = shape
      key += `${table} ${shape.isOne} ${shape.varying};`
      for (const name of Object.keys(columns)) filled[`${table}.${name}`] = first[name]
      if (!shape.isOne) filled[`${table} as JSON`] = JSON.stringify(batch, [...shape.varying])
    }
    const statement = kept.get(key) ?? make(shapes)
    kept.set(key, statement)
    return statement(filled)
  }
}

/** A statement about the rows of a batch. */
export type BatchStatement<Columns extends BatchColumns> = (
  rows: readonly [BatchRow<Columns>, ...ReadonlyArray<BatchRow<Columns>>]
) => Statement.Statement<object>

/** Keeps a statement about the rows of one batch. */
export const keepForBatches = <Columns extends BatchColumns>(
  sql: SqlClient.SqlClient,
  dialect: Dialect,
  columns: Columns,
  build: (batch: Batch) => Statement.Statement<object>
): BatchStatement<Columns> => {
  const statement = keepForSeveralBatches<{ readonly row: BatchColumns }, Record<never, never>, object>(
    sql,
    dialect,
    { row: columns },
    ({ row }) => {
      if (row === undefined) throw new Error("a batch of no rows")
      return build(row)
    }
  )
  return (rows) => statement({ row: rows }, {})
}

/**
 * Inserts any number of rows with one statement, in their order, as `build` has it; none takes none.
 */
export const keepInsert = <Columns extends BatchColumns>(
  sql: SqlClient.SqlClient,
  columns: Columns,
  build: (rows: Statement.Fragment) => Statement.Statement<object>
) => {
  const statement = keepForBatches(sql, dialectOf(sql), columns, ({ rows }) => build(rows))
  return function* (batch: ReadonlyArray<BatchRow<Columns>>): Script<void> {
    const [first, ...others] = batch
    if (first !== undefined) yield* changes(statement([first, ...others]))
  }
}

/** Inserts rows in their order. `condition` may speak of a row as `fresh`. */
export const insertInto = (
  sql: SqlClient.SqlClient,
  table: string,
  columns: BatchColumns,
  rows: Statement.Fragment,
  condition: Statement.Fragment
) => sql`INSERT INTO ${sql.literal(table)} (${sql.literal(Object.keys(columns).join(", "))})
  SELECT * FROM (${rows}) AS fresh WHERE ${condition}`
