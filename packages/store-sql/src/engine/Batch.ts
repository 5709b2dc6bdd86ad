import { Array as Arr } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { type Dialect, dialectOf } from "./Dialect.ts"
import { type At, keep, type Query } from "./Query.ts"
import { changes, type Script } from "./Script.ts"

type Value = string | number | null

/** The columns of a batch, in order, with their types. */
export type BatchColumns = Readonly<Record<string, "TEXT" | "BIGINT">>

/** A row of a batch. */
export type BatchRow<Columns extends BatchColumns> = { readonly [Column in keyof Columns]: Value }

/** A batch as a part of a statement. */
export interface Batch {
  /** A SELECT of the rows. */
  readonly rows: Statement.Fragment
  readonly isOne: boolean
  /** The placeholders of a single row, by column; undefined for several rows. */
  readonly one: At<Readonly<Record<string, Value>>> | undefined
  /**
   * The value of a column of the rows, by default under the alias `n`. A distributed Postgres finds the node of a
   * statement by a parameter only, so there it is one if all rows have the same value. Elsewhere it is the column of the
   * row: by a constant tenant, a planner may read all rows of the tenant instead of those of the list.
   */
  readonly fieldOf: (column: string, alias?: string) => Statement.Fragment
  /** Whether `fieldOf` is the column of a row. */
  readonly varies: (column: string) => boolean
}

const castOf = (sql: SqlClient.SqlClient, value: Statement.Fragment, name: string, type: "TEXT" | "BIGINT") =>
  sql`CAST(${value} AS ${sql.literal(type)}) AS ${sql.literal(name)}`

/** A single row, which needs no JSON. */
const batchOfOne = (
  sql: SqlClient.SqlClient,
  { isDistributed }: Dialect,
  columns: BatchColumns,
  one: NonNullable<Batch["one"]>
): Batch => {
  const selected = Object.entries(columns).map(([name, type]) => castOf(sql, sql`${one(name)}`, name, type))
  const fieldOf = (column: string, alias = "n") =>
    isDistributed ? sql`${one(column)}` : sql.literal(`${alias}.${column}`)
  return { rows: sql`SELECT ${sql.csv(selected)}`, isOne: true, one, fieldOf, varies: () => !isDistributed }
}

/** Which columns of a batch are equal in all rows, and which vary. */
interface Shape {
  readonly isOne: boolean
  readonly varying: ReadonlyArray<string>
}

const shapeOf = <Columns extends BatchColumns>(columns: Columns, rows: ReadonlyArray<BatchRow<Columns>>): Shape => {
  const [first, ...others] = rows
  const varies = (name: string) => others.some((row) => row[name] !== first?.[name])
  return { isOne: others.length === 0, varying: Object.keys(columns).filter(varies) }
}

/** Returns a batch of a statement by its name, or undefined if it has no rows. */
export type BatchOf<Tables> = (table: keyof Tables & string) => Batch | undefined

/** The rows of a statement's batches, by name. */
type Batches<Tables> = {
  readonly [Name in keyof Tables]: ReadonlyArray<BatchRow<Tables[Name] extends BatchColumns ? Tables[Name] : never>>
}

/**
 * Caches a statement about any number of rows of several batches. `build` gets each batch as a SELECT.
 *
 * A value that is equal in all rows, as most of an audit entry is, becomes one parameter. Only the other values are
 * extracted from JSON row by row, which is the expensive part. A single row needs no JSON at all.
 */
export const keepForSeveralBatches = <
  Tables extends Readonly<Record<string, BatchColumns>>,
  Values extends Readonly<Record<string, Value>>,
  Row extends object
>(
  sql: SqlClient.SqlClient,
  dialect: Dialect,
  tables: Tables,
  build: (batchOf: BatchOf<Tables>, at: At<Values>) => Statement.Statement<Row>
) => {
  const kept = new Map<string, Query<Record<string, unknown>, Row>>()

  const make = (shapes: Readonly<Record<string, Shape | undefined>>) =>
    keep<Record<string, unknown>, Row>(sql, (at) => {
      const batchOf: BatchOf<Tables> = (table) => {
        const shape = shapes[table]
        if (shape === undefined) return undefined
        const columns: BatchColumns = tables[table] ?? {}
        const first: NonNullable<Batch["one"]> = (name) => at(`${table}.${name}`)
        if (shape.isOne) return batchOfOne(sql, dialect, columns, first)
        const selected = Object.entries(columns).map(([name, type]) => {
          const varies = shape.varying.includes(name)
          return castOf(sql, varies ? sql.literal(`value ->> '${name}'`) : sql`${first(name)}`, name, type)
        })
        const source = dialect.objects(at(`${table} as JSON`))
        const varies = (column: string) => !dialect.isDistributed || shape.varying.includes(column)
        const fieldOf = (column: string, alias = "n") =>
          varies(column) ? sql.literal(`${alias}.${column}`) : sql`${first(column)}`
        return { rows: sql`SELECT ${sql.csv(selected)} FROM ${source}`, isOne: false, one: undefined, fieldOf, varies }
      }
      return build(batchOf, (name) => at(name))
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
export type BatchStatement<Columns extends BatchColumns, Row = object> = (
  rows: readonly [BatchRow<Columns>, ...ReadonlyArray<BatchRow<Columns>>]
) => Statement.Statement<Row>

/** Caches a statement about the rows of one batch. */
export const keepForBatches = <Columns extends BatchColumns, Row extends object>(
  sql: SqlClient.SqlClient,
  dialect: Dialect,
  columns: Columns,
  build: (batch: Batch) => Statement.Statement<Row>
): BatchStatement<Columns, Row> => {
  const statement = keepForSeveralBatches<{ readonly row: BatchColumns }, Record<never, never>, Row>(
    sql,
    dialect,
    { row: columns },
    (batchOf) => {
      const batch = batchOf("row")
      if (batch === undefined) throw new Error("a batch has no rows")
      return build(batch)
    }
  )
  let one: Query<BatchRow<Columns>, Row> | undefined
  return (rows) => {
    if (rows.length > 1) return statement({ row: rows }, {})
    one ??= keep(sql, (at) => build(batchOfOne(sql, dialect, columns, at)))
    return one(rows[0])
  }
}

/**
 * The rows of each statement about a batch: all of them, or on a distributed Postgres those of each tenant. Rows keep
 * their order if they are in the order of tenants.
 */
export const inStatements = <Row>(
  { isDistributed }: Dialect,
  rows: ReadonlyArray<Row>,
  tenantOf: (row: Row) => string
): ReadonlyArray<readonly [Row, ...ReadonlyArray<Row>]> => {
  const groups = isDistributed ? [...Map.groupBy(rows, tenantOf).values()] : [rows]
  return groups.filter(Arr.isReadonlyArrayNonEmpty)
}

/** Inserts any number of rows, in order, with one statement from `build`. No rows take no statement. */
export const keepInsert = <Columns extends BatchColumns>(
  sql: SqlClient.SqlClient,
  columns: Columns,
  build: (batch: Batch) => Statement.Statement<object>
) => {
  const dialect = dialectOf(sql)
  const statement = keepForBatches(sql, dialect, columns, build)
  return function* (batch: ReadonlyArray<BatchRow<Columns>>): Script<void> {
    for (const rows of inStatements(dialect, batch, (row) => String(row["tenant_id"]))) yield* changes(statement(rows))
  }
}

const into = (sql: SqlClient.SqlClient, table: string, columns: BatchColumns) =>
  sql.literal(`INSERT INTO ${table} (${Object.keys(columns).join(", ")})`)

/**
 * Inserts rows `fresh` of a FROM, in order. `condition` may refer to them; they may have more columns. The tenant is a
 * value of its own if all rows have the same.
 */
export const insertInto = (
  sql: SqlClient.SqlClient,
  table: string,
  columns: BatchColumns,
  from: Statement.Fragment,
  condition: Statement.Fragment,
  tenantId: Statement.Fragment | undefined
) => {
  const values = Object.keys(columns).map((name) =>
    name === "tenant_id" && tenantId !== undefined ? sql`CAST(${tenantId} AS TEXT)` : sql.literal(`fresh.${name}`)
  )
  return sql`${into(sql, table, columns)} SELECT ${sql.csv(values)} FROM ${from} WHERE ${condition}`
}

/**
 * Inserts rows in order. A single row comes without SELECT: SQLite would copy every page that it changes, to undo the
 * first rows should a later one fail.
 */
export const insertAll = (
  sql: SqlClient.SqlClient,
  table: string,
  columns: BatchColumns,
  { one, rows, fieldOf, varies }: Batch
): Statement.Statement<object> =>
  one === undefined
    ? insertInto(
        sql,
        table,
        columns,
        sql`(${rows}) AS fresh`,
        sql.literal("true"),
        varies("tenant_id") ? undefined : fieldOf("tenant_id")
      )
    : sql`${into(sql, table, columns)} VALUES (${sql.csv(Object.keys(columns).map((name) => sql`${one(name)}`))})`
