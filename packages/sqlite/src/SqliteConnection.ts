import { statSync } from "node:fs"
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from "node:sqlite"
import { Effect, type Scope } from "effect"
import { fromCause, SqliteOpenError } from "./SqliteOpenError.ts"

export interface ConnectionOptions {
  readonly filename: string
  /** The first content of a database in memory, from `SqliteConnection.serialize`. */
  readonly content?: Uint8Array | undefined
  /** How long a statement waits for a foreign process's lock, in milliseconds. */
  readonly busyTimeoutMillis: number
}

export type Row = Readonly<Record<string, SQLOutputValue>>
export type Values = ReadonlyArray<SQLOutputValue>

/** The name of a database in memory. */
export const inMemory = ":memory:"

/** Whether the database is in memory: not durable, shared or locked. */
export const isInMemory = (filename: string): boolean => filename === inMemory

/** The maximum number of prepared statements per connection. The least recently used one is dropped. */
export const statementsMax = 200

/** Page cache in KiB. With SQLite's default of 2 MiB a lookup among a million rows reads from disk. */
const cacheKibibytes = 65_536

/**
 * Pages of the write-ahead log per checkpoint, 16 MB. With SQLite's default of 1000 a busy server copies pages that the
 * next commits change again, with two more fsyncs each time.
 */
const checkpointPages = 4000

const toInput = (value: unknown): SQLInputValue => {
  switch (typeof value) {
    case "string":
    case "number":
    case "bigint":
      return value
    case "boolean":
      return value ? 1 : 0
    case "undefined":
      return null
    default:
      if (value === null || ArrayBuffer.isView(value)) return value as null | NodeJS.ArrayBufferView
      // node:sqlite would take a leading object as named parameters and bind nothing of it.
      throw new TypeError(`a parameter is a ${typeof value}: bind its text`)
  }
}

/** Whether a statement is read-only, by its first word. Any other statement counts as a write. */
export const readsOnly = (sql: string): boolean => /^\s*(?:SELECT|EXPLAIN|VALUES)\b/i.test(sql)

interface Kept {
  readonly statement: StatementSync
  readonly isWrite: boolean
  asArrays: boolean
}

/** One open database. Prepares statements once, runs them synchronously, and throws the errors of `node:sqlite`. */
export class SqliteConnection {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, Kept>()
  #fault: Error | undefined
  #writes = 0

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** Whether a transaction is open. SQLite itself ends one if, for example, the disk is full. */
  get isTransaction(): boolean {
    return this.#database.isTransaction
  }

  /** The number of statements so far that may have written, failed ones included. */
  get writes(): number {
    return this.#writes
  }

  /** The number of cached prepared statements. */
  get kept(): number {
    return this.#statements.size
  }

  /** Runs one statement and returns its rows as objects. */
  rows(sql: string, params: ReadonlyArray<unknown> = []): ReadonlyArray<Row> {
    return this.#prepare(sql, false).all(...params.map(toInput))
  }

  /** Runs one statement and returns its rows as arrays, in column order. */
  values(sql: string, params: ReadonlyArray<unknown> = []): ReadonlyArray<Values> {
    const rows: unknown = this.#prepare(sql, true).all(...params.map(toInput))
    return rows as ReadonlyArray<Values> // `setReturnArrays` changes the rows, which the types do not show
  }

  /**
   * Runs one statement and returns its first rows as objects. Stops after the first row with which the texts exceed
   * `most` characters.
   */
  rowsUpTo(sql: string, params: ReadonlyArray<unknown>, most: number): ReadonlyArray<Row> {
    const rows: Array<Row> = []
    let characters = 0
    for (const row of this.#prepare(sql, false).iterate(...params.map(toInput))) {
      rows.push(row)
      for (const name in row) {
        const value = row[name]
        if (typeof value === "string") characters += value.length
      }
      if (characters > most) break
    }
    return rows
  }

  /** Runs one statement and returns the number of changed rows. */
  run(sql: string, params: ReadonlyArray<unknown> = []): { readonly changes: number | bigint } {
    return this.#prepare(sql, false).run(...params.map(toInput))
  }

  /** The value of a pragma. */
  pragma(name: string): SQLOutputValue | undefined {
    return Object.values(this.#database.prepare(`PRAGMA ${name}`).get() ?? {})[0]
  }

  /** Runs statements without caching them. */
  exec(sql: string): void {
    this.#database.exec(sql)
  }

  /** The whole database, as the bytes of a file. */
  serialize(): Uint8Array {
    return this.#database.serialize()
  }

  /** Makes every further statement fail with this error. */
  invalidate(fault: Error): void {
    this.#fault = fault
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }

  /** Returns the cached statement, or prepares it. `all` and `run` reset it, also when they throw. */
  #prepare(sql: string, asArrays: boolean): StatementSync {
    if (this.#fault !== undefined) throw this.#fault
    const kept = this.#statements.get(sql) ?? this.#kept(sql)
    this.#statements.delete(sql)
    this.#statements.set(sql, kept)
    if (this.#statements.size > statementsMax) {
      const [oldest] = this.#statements.keys()
      if (oldest !== undefined) this.#statements.delete(oldest)
    }
    if (kept.asArrays !== asArrays) {
      kept.statement.setReturnArrays(asArrays)
      kept.asArrays = asArrays
    }
    if (kept.isWrite) this.#writes++
    return kept.statement
  }

  #kept(sql: string): Kept {
    return { statement: this.#database.prepare(sql), isWrite: !readsOnly(sql), asArrays: false }
  }
}

/** The pragmas, read back after they were set. */
export interface Settings {
  readonly journalMode: unknown
  readonly synchronous: unknown
  readonly foreignKeys: unknown
}

/** The setting that could lose an acknowledged write or keep a dangling row, if any. */
export const settingsFault = (settings: Settings, inMemory: boolean): string | undefined => {
  const { foreignKeys, journalMode, synchronous } = settings
  if (journalMode !== "wal" && !inMemory) return `journal_mode is ${journalMode}, not wal`
  if (synchronous !== 2) return `synchronous is ${synchronous}, not 2 (FULL)`
  if (foreignKeys !== 1) return `foreign_keys is ${foreignKeys}, not 1`
  return undefined
}

/** Fails if a part of the file is damaged. Reads all of it. */
export const check = (connection: SqliteConnection, filename: string): void => {
  const found = connection.pragma("quick_check(1)")
  if (found !== "ok") throw new SqliteOpenError({ reason: "damaged", filename, detail: String(found) })
}

/**
 * Removes the planner's statistics. They are never gathered again while a store grows: with those of nine entries,
 * SQLite read 800,000 for each change of a name. Without them it chooses an index by its columns alone.
 */
const forgetStatistics = (connection: SqliteConnection): void => {
  for (const table of ["sqlite_stat1", "sqlite_stat4"]) connection.exec(`DROP TABLE IF EXISTS ${table}`)
}

/**
 * Copies the log that a killed process left into the file. Otherwise the first commit does so while requests wait: 8 s for
 * 500 MB on a busy machine. SQLite ignores the failure of a copy after a commit, and so does this: the log stays.
 */
const copyLog = (connection: SqliteConnection): void => {
  try {
    connection.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  } catch {
    // for example on a full disk
  }
}

const prepareForWriting = (connection: SqliteConnection, filename: string): void => {
  connection.exec("PRAGMA journal_mode = WAL")
  connection.exec("PRAGMA synchronous = FULL")
  connection.exec("PRAGMA secure_delete = ON") // an erased value must not stay in the free space of a page
  connection.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}`)
  connection.exec("PRAGMA foreign_keys = ON")
  connection.exec(`PRAGMA cache_size = ${-cacheKibibytes}`)
  const settings = {
    journalMode: connection.pragma("journal_mode"),
    synchronous: connection.pragma("synchronous"),
    foreignKeys: connection.pragma("foreign_keys")
  }
  const fault = settingsFault(settings, isInMemory(filename))
  if (fault !== undefined) throw new SqliteOpenError({ reason: "not durable", filename, detail: fault })
  connection.exec("BEGIN IMMEDIATE") // only a write shows that the file cannot be written
  connection.exec("ROLLBACK")
  copyLog(connection)
  forgetStatistics(connection)
}

const openReaderNow = ({ busyTimeoutMillis, filename }: ConnectionOptions): SqliteConnection => {
  const connection = new SqliteConnection(new DatabaseSync(filename, { readOnly: true, timeout: busyTimeoutMillis }))
  connection.exec(`PRAGMA cache_size = ${-cacheKibibytes}`)
  return connection
}

const bytesOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Whether a killed process left committed data in the log beside the file. */
const hasLog = (filename: string): boolean => bytesOf(filename) > 0 && bytesOf(`${filename}-wal`) > 0

const openNow = (options: ConnectionOptions): SqliteConnection => {
  const { busyTimeoutMillis, content, filename } = options
  const isChecked = hasLog(filename)
  if (isChecked) {
    // A writing connection would, when closed, checkpoint the log into the damaged file and remove it.
    const reader = openReaderNow(options)
    try {
      check(reader, filename)
    } finally {
      reader.close()
    }
  }
  const database = new DatabaseSync(filename, { timeout: busyTimeoutMillis, enableForeignKeyConstraints: true })
  if (content !== undefined) database.deserialize(content)
  const connection = new SqliteConnection(database)
  try {
    if (!isChecked) check(connection, filename)
    prepareForWriting(connection, filename)
    return connection
  } catch (cause) {
    connection.close()
    throw cause
  }
}

/**
 * Opens a database for writing and closes it with the scope. Reads back the settings that durability needs, and runs
 * `quick_check`, which reads the whole file: 1 s for about 1.5 GB.
 */
export const open = (options: ConnectionOptions): Effect.Effect<SqliteConnection, SqliteOpenError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => openNow(options),
      catch: (cause) => (cause instanceof SqliteOpenError ? cause : fromCause(options.filename, cause))
    }),
    (connection) =>
      Effect.ignore(
        Effect.try(() => connection.close()),
        { log: "Warn", message: "closing the database" }
      )
  )

/** Opens a second, read-only connection, which sees only committed rows. */
export const openReader = (options: ConnectionOptions): Effect.Effect<SqliteConnection, SqliteOpenError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({ try: () => openReaderNow(options), catch: (cause) => fromCause(options.filename, cause) }),
    (connection) => Effect.sync(() => connection.close())
  )
