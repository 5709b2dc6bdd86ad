import { Effect, Predicate } from "effect"
import { type SqlClient, type SqlError, Statement } from "effect/sql"
import type { Text } from "./Query.ts"

/** What a migration writes where the engines name the same thing differently. */
export interface ColumnTypes {
  /** Text that is compared by its UTF-8 bytes, that is by code points, on both engines alike. */
  readonly text: string
  readonly integer: string
  /** A primary key that counts upwards in the order of insertion and is never given out again. */
  readonly position: string
  /** Makes a table whose rows a crash may take: Postgres writes no log of those. */
  readonly createPassingTable: string
  /** What follows the closing parenthesis of a table. */
  readonly tableEnd: string
  /**
   * Makes tenant and position the key of a table, in the place of its position alone and of the index that has the two,
   * if there is one.
   * A table of SQLite lies in the order of its position anyway.
   */
  readonly keyByTenant: (table: string, index?: string) => ReadonlyArray<string>
  /** A column of JSON that is kept as text, as `->` and `->>` take it apart. */
  readonly json: (column: string) => string
}

/** Everything in which SQLite and Postgres differ: all other SQL of this package is the same on both. */
export interface Dialect {
  readonly types: ColumnTypes
  /** A table of one column, `value`: the objects of a JSON array, to be taken apart by `value ->> 'key'`. */
  readonly objects: (json: Text) => Statement.Fragment
  /** A table of one column, `value`: the texts of a JSON array. */
  readonly texts: (json: Text) => Statement.Fragment
  /**
   * Which index a table is read by. SQLite's planner has no statistics of a table that has just been filled, and then
   * takes a whole tenant for few rows; Postgres gathers its own and takes no advice.
   */
  readonly indexedBy: (index: string) => Statement.Fragment
  /** Whether the planner knows which values many rows share, and chooses by that how a list is read. */
  readonly knowsCrowds: boolean
  /**
   * Whether one statement can change a row and write what goes with the change: Postgres takes an INSERT for a table
   * expression. There each statement is a journey to the engine; on SQLite it is none, and a transaction has no wait in it.
   */
  readonly writesTogether: boolean
  /** Whether nobody else writes while a transaction does: what it has read is still so when it writes. */
  readonly hasOneWriter: boolean
  /** Where a row lies: a column that every table has, good for as long as one statement runs. */
  readonly rowPlace: Statement.Fragment
  /** Ends a SELECT whose rows this transaction is about to change. SQLite's one writer has locked them all. */
  readonly forUpdate: Statement.Fragment
  /** The same, and leaves out the rows that another transaction is about to change: for what anybody may take. */
  readonly forUpdateOfFree: Statement.Fragment
  /**
   * Joins to each row before it those rows of a tenant's in a table, as an alias, whose positions a SELECT about that
   * row has found: the first few of each, say.
   */
  readonly joinEach: (
    table: string,
    alias: string,
    tenantId: Statement.Fragment,
    positions: Statement.Fragment
  ) => Statement.Fragment
  /** Ends a SELECT whose rows must stay as they are until this transaction ends. */
  readonly forShare: Statement.Fragment
  /**
   * Locks a row alone, and gives it a new version. A statement that has waited for the row meanwhile cannot see what this
   * transaction has written; the version tells it. Undefined on SQLite, where nobody else is writing.
   */
  readonly renew: (table: string, tenantId: string, id: string) => Statement.Statement<object> | undefined
  /** Keeps every other transaction that asks for the same table away until this one ends. */
  readonly lockTable: (table: string) => Effect.Effect<void, SqlError.SqlError>
  /** Has every other transaction wait that asks for the same tenant's rows of a table, until this one ends. */
  readonly lockTenant: (table: string, tenantId: string) => Statement.Statement<object> | undefined
  /** The same as `lockTable` for the migrations, whose table may not be there yet. */
  readonly lockMigrations: Effect.Effect<void, SqlError.SqlError>
  /**
   * Has this transaction wait a few seconds only for tables from here on: whoever wants one meanwhile waits behind it,
   * and both behind a dump that reads the table for an hour.
   */
  readonly limitLockWaits: Effect.Effect<void, SqlError.SqlError>
}

const literal = (text: string): Statement.Fragment => Statement.fragment([Statement.literal(text)])
const nothing = literal("")

export const sqlite = (sql: SqlClient.SqlClient): Dialect => ({
  types: {
    text: "TEXT",
    integer: "INTEGER",
    position: "INTEGER PRIMARY KEY AUTOINCREMENT",
    createPassingTable: "CREATE TABLE",
    tableEnd: " STRICT",
    keyByTenant: () => [],
    json: (column) => column
  },
  objects: (json) => sql`json_each(${json})`,
  texts: (json) => sql`json_each(${json})`,
  indexedBy: (index) => literal(` INDEXED BY ${index}`),
  knowsCrowds: false,
  writesTogether: false,
  hasOneWriter: true,
  rowPlace: literal("rowid"),
  forUpdate: nothing,
  forUpdateOfFree: nothing,
  joinEach: (table, alias, _, positions) =>
    sql`CROSS JOIN ${sql.literal(table)} AS ${sql.literal(alias)} ON ${sql.literal(alias)}.position IN (${positions})`,
  forShare: nothing,
  renew: () => undefined,
  lockTable: () => Effect.void, // BEGIN IMMEDIATE has locked the whole database
  lockTenant: () => undefined,
  lockMigrations: Effect.void,
  limitLockWaits: Effect.void
})

/** Names the lock that migrations are run under: any number that nothing else in the database uses. */
const migrationLock = 7_263_041

export const postgres = (sql: SqlClient.SqlClient): Dialect => ({
  types: {
    text: 'TEXT COLLATE "C"',
    integer: "BIGINT",
    position: "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    createPassingTable: "CREATE UNLOGGED TABLE",
    tableEnd: "",
    keyByTenant: (table, index) => [
      `ALTER TABLE ${table} DROP CONSTRAINT ${table}_pkey, ADD PRIMARY KEY (tenant_id, position)`,
      ...(index === undefined ? [] : [`DROP INDEX ${index}`])
    ],
    json: (column) => `CAST(${column} AS JSON)`
  },
  // Cast twice: the parameter is text, which no driver serializes a second time.
  objects: (json) => sql`jsonb_array_elements(CAST(CAST(${json} AS TEXT) AS JSONB)) AS element(value)`,
  texts: (json) => sql`jsonb_array_elements_text(CAST(CAST(${json} AS TEXT) AS JSONB)) AS element(value)`,
  indexedBy: () => nothing,
  knowsCrowds: true,
  writesTogether: true,
  hasOneWriter: false,
  rowPlace: literal("ctid"),
  forUpdate: literal(" FOR UPDATE"),
  forUpdateOfFree: literal(" FOR UPDATE SKIP LOCKED"),
  joinEach: (table, alias, tenantId, positions) =>
    sql`CROSS JOIN LATERAL (${positions}) AS place (position) JOIN ${sql.literal(table)} AS ${sql.literal(alias)}
      ON ${sql.literal(alias)}.tenant_id = ${tenantId} AND ${sql.literal(alias)}.position = place.position`,
  forShare: literal(" FOR SHARE"),
  renew: (table, tenantId, id) =>
    sql`UPDATE ${sql(table)} SET version = version + 1 WHERE tenant_id = ${tenantId} AND id = ${id}`,
  lockTable: (table) => Effect.asVoid(sql`LOCK TABLE ${sql(table)} IN SHARE ROW EXCLUSIVE MODE`),
  lockTenant: (table, tenantId) =>
    sql`SELECT pg_advisory_xact_lock(hashtextextended(CAST(${`${table} of ${tenantId}`} AS TEXT), 0))`,
  // The limits are meant for requests: what reads a whole table would be cut off however often it is begun.
  lockMigrations: Effect.andThen(
    sql`SELECT set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`,
    Effect.asVoid(sql`SELECT pg_advisory_xact_lock(CAST(${migrationLock} AS BIGINT))`)
  ),
  limitLockWaits: Effect.asVoid(sql`SELECT set_config('lock_timeout', '5s', true)`)
})

/** The dialect that a client speaks. */
export const dialectOf = (sql: SqlClient.SqlClient): Dialect =>
  sql.onDialectOrElse({
    sqlite: () => sqlite(sql),
    pg: () => postgres(sql),
    orElse: () => {
      throw new Error(`the store speaks SQLite and Postgres, not the dialect of ${sql.driver}`)
    }
  })

/** How many rows a statement has changed, by what the driver answers: `changes` on SQLite, `rowCount` on Postgres. */
export const changesOf = (answer: unknown): number => {
  if (Predicate.hasProperty(answer, "changes")) return Number(answer.changes)
  if (Predicate.hasProperty(answer, "rowCount")) return Number(answer.rowCount)
  throw new Error("the driver does not say how many rows were changed")
}

/** What the engine itself said: the driver of Postgres keeps that in the cause of an error of its own. */
export const detailOf = ({ message, reason }: SqlError.SqlError): string =>
  Predicate.hasProperty(reason.cause, "message") ? String(reason.cause.message) : message
