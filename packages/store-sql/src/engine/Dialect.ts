import { Effect, Predicate } from "effect"
import { type SqlClient, type SqlError, Statement } from "effect/sql"
import type { Text } from "./Query.ts"

/** The SQL of migrations that differs between the engines. */
export interface ColumnTypes {
  /** Text compared by UTF-8 bytes, that is by code points, on both engines. */
  readonly text: string
  readonly integer: string
  /** A primary key that increases with each insertion and is never reused. */
  readonly position: string
  /** Creates a table whose rows may be lost in a crash: UNLOGGED on Postgres. */
  readonly createPassingTable: string
  /** The text after the closing parenthesis of a table. */
  readonly tableEnd: string
  /**
   * The columns `position` and `tenant_id` of a table that can be distributed by tenant: together the primary key on
   * Postgres. SQLite stores its tables in position order, so only the position is the key.
   */
  readonly tenantPosition: string
  /** The index `<table>_of_tenant` of these two columns. Postgres has the primary key instead. */
  readonly byTenant: (table: string) => ReadonlyArray<string>
  /** Runs a statement after each insertion of a row, or change of one, that meets a condition on OLD and NEW. */
  readonly trigger: (trigger: Trigger) => ReadonlyArray<string>
}

/** A trigger for each row. `event` is `INSERT` or `UPDATE OF` some columns. */
export interface Trigger {
  readonly name: string
  readonly table: string
  readonly event: string
  readonly condition: string
  readonly statement: string
}

/** All differences between SQLite and Postgres. All other SQL of this package is the same on both. */
export interface Dialect {
  readonly types: ColumnTypes
  /** A table with the column `value`: the objects of a JSON array, to be read by `value ->> 'key'`. */
  readonly objects: (json: Text) => Statement.Fragment
  /** A table with the column `value`: the texts of a JSON array. */
  readonly texts: (json: Text) => Statement.Fragment
  /**
   * Whether a column has one of the texts of a JSON array, for a few of many rows. Postgres expects a hundred texts in
   * a SELECT of unknown length, and would scan a small table. It looks the texts of an array up in an index.
   */
  readonly isAmong: (column: string, json: Text) => Statement.Fragment
  /** Whether a column has one of the texts that a SELECT without reference to the row returns. */
  readonly isAmongRows: (column: string, rows: Statement.Fragment) => Statement.Fragment
  /** Joins the texts of the array at a key of the JSON object in a column, as `value`. Other JSON has none. */
  readonly textsIn: (column: string, key: string) => Statement.Fragment
  /**
   * Names the index by which a table is read. SQLite plans without statistics and would read a whole tenant for few
   * rows. Postgres gathers its own and needs no hint.
   */
  readonly indexedBy: (index: string) => Statement.Fragment
  /** Whether the planner has statistics of common values and plans lists with them. */
  readonly knowsCrowds: boolean
  /** Whether a statement runs in this process, so that all other requests wait for its end. */
  readonly blocks: boolean
  /**
   * Whether one statement can change a row and write its records: on Postgres an INSERT can be a table expression,
   * which saves a round trip per statement. SQLite has no round trips.
   */
  readonly writesTogether: boolean
  /**
   * Whether the tables of tenants are distributed over several machines: then each statement that writes, locks, or
   * reads by a list names one tenant by a parameter.
   */
  readonly isDistributed: boolean
  /**
   * Keeps the preceding rows, in their order, for which a SELECT has a row: by a join or by a condition. A distributed
   * Postgres refuses an INSERT with a subquery in its condition.
   */
  readonly ifAny: (found: Statement.Fragment) => {
    readonly join: Statement.Fragment
    readonly condition: Statement.Fragment
  }
  /**
   * Joins the row of a table, under an alias, that a condition on its whole key finds for each preceding row, or none. The
   * preceding rows keep their order. Without LATERAL, Postgres would expect a hundred of them and may read the table.
   */
  readonly lookUp: (table: string, alias: string, condition: Statement.Fragment) => Statement.Fragment
  /** Whether transactions never run concurrently: a row that one has read cannot change before its write. */
  readonly hasOneWriter: boolean
  /** The function that returns the index of a text in another, from 1, or 0. */
  readonly indexIn: Statement.Fragment
  /** The physical location of a row, valid during one statement. */
  readonly rowPlace: Statement.Fragment
  /** Ends a SELECT whose rows this transaction will change. Empty on SQLite, which has one writer. */
  readonly forUpdate: Statement.Fragment
  /** The same, but skips rows that another transaction has locked: for work that any worker may take. */
  readonly forUpdateOfFree: Statement.Fragment
  /**
   * Joins rows of a table, under an alias, to each preceding row, for example the first few of each. `found` gets the
   * columns that are needed, and returns a SELECT of them.
   */
  readonly joinEach: (
    table: string,
    alias: string,
    found: (columns: Statement.Fragment) => Statement.Fragment
  ) => Statement.Fragment
  /**
   * The same for a table of documents, whose rows can be locked: `found` gets the column that identifies a row of the
   * tenant, and returns a SELECT of it.
   */
  readonly joinEachDocument: (
    table: string,
    alias: string,
    tenantId: Statement.Fragment,
    found: (key: Statement.Fragment) => Statement.Fragment
  ) => Statement.Fragment
  /** Ends a SELECT whose rows must not change until this transaction ends. */
  readonly forShare: Statement.Fragment
  /**
   * Locks a single row and raises its version. A statement that waited for the row cannot see this transaction's
   * writes, but it sees the new version. Undefined on SQLite, which has one writer.
   */
  readonly renew: (table: string, tenantId: string, id: string) => Statement.Statement<object> | undefined
  /** Blocks every other transaction that locks the same table, until this one ends. */
  readonly lockTable: (table: string) => Effect.Effect<void, SqlError.SqlError>
  /** Blocks every other transaction that locks the same tenant's rows of a table, until this one ends. */
  readonly lockTenant: (table: string, tenantId: string) => Statement.Statement<object> | undefined
  /** The same as `lockTable` for migrations, whose table may not exist yet. */
  readonly lockMigrations: Effect.Effect<void, SqlError.SqlError>
  /**
   * The transactions that are open and may insert into a table, as `id`. An id is never used again. Undefined on
   * SQLite, which has one writer, so that positions become visible in order.
   */
  readonly openWriters: (table: string) => Statement.Statement<{ readonly id: string }> | undefined
  /**
   * Limits this transaction's wait for a table to a few seconds. Later requests for the table queue behind this
   * wait. Without the limit, a dump that reads the table for an hour would block them all.
   */
  readonly limitLockWaits: Effect.Effect<void, SqlError.SqlError>
  /** Lets this transaction's statements take as long as they need, because it reads or writes the whole store. */
  readonly unlimited: Effect.Effect<void, SqlError.SqlError>
  /** All columns of all tables, in their order. `keyOrdinal` is 0 outside of the primary key. */
  readonly catalogue: Statement.Statement<CatalogueRow>
  /** A JSON array of columns as text. */
  readonly jsonArray: (columns: Statement.Fragment) => Statement.Fragment
  /** Lets an INSERT give the positions of its rows. */
  readonly givenPositions: Statement.Fragment
  /** The last position that a table has assigned, even if the row is gone, as `position`. No row or null: none. */
  readonly lastPosition: (table: string) => Statement.Statement<{ readonly position: unknown }>
  /** Makes a table assign only positions above this one, once its rows are inserted. */
  readonly continueAfter: (table: string, position: number) => Effect.Effect<void, SqlError.SqlError>
}

/** A column of the catalogue. */
export interface CatalogueRow {
  readonly table: string
  readonly column: string
  readonly type: string
  readonly keyOrdinal: unknown
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
    tenantPosition: "position INTEGER PRIMARY KEY AUTOINCREMENT, tenant_id TEXT NOT NULL",
    byTenant: (table) => [`CREATE INDEX ${table}_of_tenant ON ${table} (tenant_id, position)`],
    trigger: ({ condition, event, name, statement, table }) => [
      `CREATE TRIGGER ${name} AFTER ${event} ON ${table} FOR EACH ROW WHEN ${condition} BEGIN ${statement}; END`
    ]
  },
  objects: (json) => sql`json_each(${json})`,
  texts: (json) => sql`json_each(${json})`,
  isAmong: (column, json) => sql`${sql.literal(column)} IN (SELECT value FROM json_each(${json}))`,
  isAmongRows: (column, rows) => sql`${sql.literal(column)} IN (${rows})`,
  textsIn: (column, key) => literal(`CROSS JOIN json_each(${column}, '$.${key}')`),
  indexedBy: (index) => literal(` INDEXED BY ${index}`),
  knowsCrowds: false,
  blocks: true,
  writesTogether: false,
  isDistributed: false,
  ifAny: (found) => ({ join: nothing, condition: sql`EXISTS (${found})` }),
  lookUp: (table, alias, condition) => sql`LEFT JOIN ${sql.literal(`${table} AS ${alias}`)} ON ${condition}`,
  hasOneWriter: true,
  indexIn: literal("instr"),
  rowPlace: literal("rowid"),
  forUpdate: nothing,
  forUpdateOfFree: nothing,
  joinEach: (table, alias, found) =>
    sql`CROSS JOIN ${sql.literal(table)} AS ${sql.literal(alias)}
      ON ${sql.literal(alias)}.rowid IN (${found(literal("rowid"))})`,
  joinEachDocument: (table, alias, _, found) =>
    sql`CROSS JOIN ${sql.literal(table)} AS ${sql.literal(alias)} NOT INDEXED
      ON ${sql.literal(alias)}.rowid IN (${found(literal("rowid"))})`,
  forShare: nothing,
  renew: () => undefined,
  lockTable: () => Effect.void, // BEGIN IMMEDIATE has locked the whole database
  lockTenant: () => undefined,
  lockMigrations: Effect.void,
  openWriters: () => undefined,
  limitLockWaits: Effect.void,
  unlimited: Effect.void,
  catalogue: sql`SELECT t.name AS "table", c.name AS "column", c.type AS type, c.pk AS "keyOrdinal"
    FROM pragma_table_list AS t, pragma_table_info(t.name) AS c
    WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite%' ORDER BY t.name, c.cid`,
  jsonArray: (columns) => sql`json_array(${columns})`,
  givenPositions: nothing,
  lastPosition: (table) => sql`SELECT seq AS position FROM sqlite_sequence WHERE name = ${table}`,
  continueAfter: (table, position) =>
    Effect.andThen(
      sql`DELETE FROM sqlite_sequence WHERE name = ${table}`,
      Effect.asVoid(sql`INSERT INTO sqlite_sequence (name, seq) VALUES (${table}, ${position})`)
    )
})

/** The advisory lock of migrations: a number that nothing else in the database uses. */
const migrationLock = 7_263_041

const unlimited = (sql: SqlClient.SqlClient) =>
  sql`SELECT set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`

export const postgres = (sql: SqlClient.SqlClient): Dialect => ({
  types: {
    text: 'TEXT COLLATE "C"',
    integer: "BIGINT",
    position: "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    createPassingTable: "CREATE UNLOGGED TABLE",
    tableEnd: "",
    tenantPosition: `tenant_id TEXT COLLATE "C" NOT NULL, position BIGINT GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (tenant_id, position)`,
    byTenant: () => [],
    trigger: ({ condition, event, name, statement, table }) => [
      `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${statement}; RETURN NULL; END $$`,
      `CREATE TRIGGER ${name} AFTER ${event} ON ${table} FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION ${name}()`
    ]
  },
  // Cast twice: the inner cast makes the parameter text, so that no driver serializes it again.
  objects: (json) => sql`jsonb_array_elements(CAST(CAST(${json} AS TEXT) AS JSONB)) AS element(value)`,
  texts: (json) => sql`jsonb_array_elements_text(CAST(CAST(${json} AS TEXT) AS JSONB)) AS element(value)`,
  isAmong: (column, json) =>
    sql`${sql.literal(column)} = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST(CAST(${json} AS TEXT) AS JSONB))))`,
  isAmongRows: (column, rows) => sql`${sql.literal(column)} = ANY (ARRAY(${rows}))`,
  textsIn: (column, key) =>
    literal(`CROSS JOIN LATERAL jsonb_array_elements_text(CAST(${column} AS JSONB) -> '${key}') AS element(value)`),
  indexedBy: () => nothing,
  knowsCrowds: true,
  blocks: false,
  writesTogether: true,
  isDistributed: false,
  ifAny: (found) => ({ join: sql`CROSS JOIN LATERAL (${found} LIMIT 1) AS any_row`, condition: literal("true") }),
  lookUp: (table, alias, condition) =>
    sql`LEFT JOIN LATERAL (SELECT * FROM ${sql.literal(`${table} AS ${alias}`)} WHERE ${condition} LIMIT 1)
      AS ${sql.literal(alias)} ON true`,
  hasOneWriter: false,
  indexIn: literal("strpos"),
  rowPlace: literal("ctid"),
  forUpdate: literal(" FOR UPDATE"),
  forUpdateOfFree: literal(" FOR UPDATE SKIP LOCKED"),
  // Not joined to the table again by its key: Postgres expects a hundred rows of each JSON array, and would scan it.
  joinEach: (_, alias, found) => sql`CROSS JOIN LATERAL (${found(literal("*"))}) AS ${sql.literal(alias)}`,
  joinEachDocument: (table, alias, tenantId, found) =>
    sql`CROSS JOIN LATERAL (${found(literal("id"))}) AS place (id) JOIN ${sql.literal(table)} AS ${sql.literal(alias)}
      ON ${sql.literal(alias)}.tenant_id = ${tenantId} AND ${sql.literal(alias)}.id = place.id`,
  forShare: literal(" FOR SHARE"),
  renew: (table, tenantId, id) =>
    sql`UPDATE ${sql(table)} SET version = version + 1 WHERE tenant_id = ${tenantId} AND id = ${id}`,
  lockTable: (table) => Effect.asVoid(sql`LOCK TABLE ${sql(table)} IN SHARE ROW EXCLUSIVE MODE`),
  lockTenant: (table, tenantId) =>
    sql`SELECT pg_advisory_xact_lock(hashtextextended(CAST(${`${table} of ${tenantId}`} AS TEXT), 0))`,
  // The limits are meant for requests. They would end a migration of a large table at every attempt.
  lockMigrations: Effect.andThen(
    unlimited(sql),
    Effect.asVoid(sql`SELECT pg_advisory_xact_lock(CAST(${migrationLock} AS BIGINT))`)
  ),
  // A sequence and the locks show the present, not the snapshot of the statement. Each INSERT locks its table
  // before it takes a position, and the lock ends after the transaction is visible.
  lastPosition: (table) =>
    sql`SELECT pg_sequence_last_value(CAST(pg_get_serial_sequence(${table}, 'position') AS regclass)) AS position`,
  openWriters: (table) =>
    sql<{ readonly id: string }>`SELECT DISTINCT virtualtransaction AS id FROM pg_locks
      WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND granted
      AND relation = CAST(CAST(${table} AS TEXT) AS regclass)
      AND database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())`,
  limitLockWaits: Effect.asVoid(sql`SELECT set_config('lock_timeout', '5s', true)`),
  unlimited: Effect.asVoid(unlimited(sql)),
  catalogue: sql`SELECT c.table_name AS "table", c.column_name AS "column", c.data_type AS type,
      COALESCE(k.ordinal_position, 0) AS "keyOrdinal"
    FROM information_schema.columns AS c
    JOIN information_schema.tables AS t
      ON t.table_schema = c.table_schema AND t.table_name = c.table_name AND t.table_type = 'BASE TABLE'
    LEFT JOIN information_schema.table_constraints AS p
      ON p.table_schema = c.table_schema AND p.table_name = c.table_name AND p.constraint_type = 'PRIMARY KEY'
    LEFT JOIN information_schema.key_column_usage AS k
      ON k.constraint_schema = p.constraint_schema AND k.constraint_name = p.constraint_name
      AND k.table_name = c.table_name AND k.column_name = c.column_name
    WHERE c.table_schema = current_schema() ORDER BY c.table_name COLLATE "C", c.ordinal_position`,
  jsonArray: (columns) => sql`CAST(json_build_array(${columns}) AS TEXT)`,
  givenPositions: literal(" OVERRIDING SYSTEM VALUE"),
  continueAfter: (table, position) =>
    Effect.asVoid(sql`SELECT setval(pg_get_serial_sequence(${table}, 'position'), CAST(${position} AS BIGINT))`)
})

const dialects = new WeakMap<SqlClient.SqlClient, Dialect>()

/** Makes the dialect of a client that of a distributed Postgres. Call it before the stores ask for the dialect. */
export const distribute = (sql: SqlClient.SqlClient): void => {
  dialects.set(sql, { ...postgres(sql), isDistributed: true })
}

/** Whether Citus has distributed the tables of tenants. A database with the extension alone is a plain Postgres. */
export const isDistributed = (sql: SqlClient.SqlClient): Effect.Effect<boolean, SqlError.SqlError> =>
  sql.onDialectOrElse({
    sqlite: () => Effect.succeed(false),
    orElse: () =>
      Effect.gen(function* () {
        const [known] = yield* sql<{
          readonly found: boolean
        }>`SELECT to_regclass('pg_dist_partition') IS NOT NULL AS found`
        if (known?.found !== true) return false
        const found = yield* sql`SELECT 1 FROM pg_dist_partition WHERE logicalrelid = to_regclass('account')`
        return found.length > 0
      })
  })

/** The dialect of a client, made once: all parts of the store ask for it at the start. */
export const dialectOf = (sql: SqlClient.SqlClient): Dialect => {
  const known = dialects.get(sql)
  if (known !== undefined) return known
  const dialect = sql.onDialectOrElse({
    sqlite: () => sqlite(sql),
    pg: () => postgres(sql),
    orElse: () => {
      throw new Error(`the store supports SQLite and Postgres, not the dialect of ${sql.driver}`)
    }
  })
  dialects.set(sql, dialect)
  return dialect
}

/**
 * The number of rows that a statement changed, from the driver's result: `changes` on SQLite, `rowCount` on Postgres.
 */
export const changesOf = (answer: unknown): number => {
  if (Predicate.hasProperty(answer, "changes")) return Number(answer.changes)
  if (Predicate.hasProperty(answer, "rowCount")) return Number(answer.rowCount)
  throw new Error("the driver does not report the number of changed rows")
}

/** The engine's own message. The Postgres driver has it in the cause of its error. */
export const detailOf = ({ message, reason }: SqlError.SqlError): string =>
  Predicate.hasProperty(reason.cause, "message") ? String(reason.cause.message) : message
