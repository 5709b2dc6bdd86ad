import { statSync } from "node:fs"
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from "node:sqlite"
import { Effect, type Scope } from "effect"
import { fromCause, SqliteOpenError } from "./SqliteOpenError.ts"

export interface ConnectionOptions {
  readonly filename: string
  /** How long a statement waits for a lock that a foreign process holds, in milliseconds. */
  readonly busyTimeoutMillis: number
}

export type Row = Readonly<Record<string, SQLOutputValue>>
export type Values = ReadonlyArray<SQLOutputValue>

/** A database that lives in memory alone: nothing of it can be durable, shared or locked. */
export const isInMemory = (filename: string): boolean => filename === ":memory:"

/** Prepared statements kept per connection; the one unused for longest makes room. */
export const statementsMax = 200

/** Pages held in memory, in KiB. SQLite's own 2 MiB make a look-up among a million rows read from disk. */
const cacheKibibytes = 65_536

/**
 * Pages of the write-ahead log after which a commit copies them into the database file, 16 MB. With SQLite's own 1000 a
 * busy server copies pages that the next commits change again, and waits for two more fsyncs each time.
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
      // node:sqlite would take a leading object for named parameters, and bind nothing of it.
      throw new TypeError(`a parameter is a ${typeof value}: bind its text`)
  }
}

interface Kept {
  readonly statement: StatementSync
  asArrays: boolean
}

/**
 * One open database: prepares statements once, runs them at once on this thread, and throws what `node:sqlite` throws.
 * It knows nothing of who shares it.
 */
export class SqliteConnection {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, Kept>()
  #fault: Error | undefined

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** Whether a transaction is open: SQLite ends one by itself when, say, the disk is full. */
  get isTransaction(): boolean {
    return this.#database.isTransaction
  }

  /** How many prepared statements are kept. */
  get kept(): number {
    return this.#statements.size
  }

  /** Runs one statement and answers its rows as objects. */
  rows(sql: string, params: ReadonlyArray<unknown> = []): ReadonlyArray<Row> {
    return this.#prepare(sql, false).all(...params.map(toInput))
  }

  /** Runs one statement and answers its rows as arrays, in the order of the columns. */
  values(sql: string, params: ReadonlyArray<unknown> = []): ReadonlyArray<Values> {
    const rows: unknown = this.#prepare(sql, true).all(...params.map(toInput))
    return rows as ReadonlyArray<Values> // what `setReturnArrays` makes of them, of which the types know nothing
  }

  /** Runs one statement for what it changes. */
  run(sql: string, params: ReadonlyArray<unknown> = []): { readonly changes: number | bigint } {
    return this.#prepare(sql, false).run(...params.map(toInput))
  }

  /** The value of a pragma. */
  pragma(name: string): SQLOutputValue | undefined {
    return Object.values(this.#database.prepare(`PRAGMA ${name}`).get() ?? {})[0]
  }

  /** Runs statements that are not worth keeping. */
  exec(sql: string): void {
    this.#database.exec(sql)
  }

  /** Runs nothing more: every statement from now on fails with this. */
  invalidate(fault: Error): void {
    this.#fault = fault
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }

  /** The statement in the state of a fresh one: `all` and `run` reset it, also when they throw. */
  #prepare(sql: string, asArrays: boolean): StatementSync {
    if (this.#fault !== undefined) throw this.#fault
    const kept = this.#statements.get(sql) ?? { statement: this.#database.prepare(sql), asArrays: false }
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
    return kept.statement
  }
}

/** What the pragmas say once they were set. */
export interface Settings {
  readonly journalMode: unknown
  readonly synchronous: unknown
  readonly foreignKeys: unknown
}

/** What of the settings would lose an acknowledged write or keep a dangling row, or nothing. */
export const settingsFault = (settings: Settings, inMemory: boolean): string | undefined => {
  const { foreignKeys, journalMode, synchronous } = settings
  if (journalMode !== "wal" && !inMemory) return `journal_mode is ${journalMode}, not wal`
  if (synchronous !== 2) return `synchronous is ${synchronous}, not 2 (FULL)`
  if (foreignKeys !== 1) return `foreign_keys is ${foreignKeys}, not 1`
  return undefined
}

const check = (connection: SqliteConnection, filename: string): void => {
  const found = connection.pragma("quick_check(1)")
  if (found !== "ok") throw new SqliteOpenError({ reason: "damaged", filename, detail: String(found) })
}

const prepareForWriting = (connection: SqliteConnection, filename: string): void => {
  connection.exec("PRAGMA journal_mode = WAL")
  connection.exec("PRAGMA synchronous = FULL")
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
  connection.exec("BEGIN IMMEDIATE") // a file that cannot be written is only found by trying
  connection.exec("ROLLBACK")
}

const openReaderNow = ({ busyTimeoutMillis, filename }: ConnectionOptions): SqliteConnection => {
  const connection = new SqliteConnection(new DatabaseSync(filename, { readOnly: true, timeout: busyTimeoutMillis }))
  connection.exec(`PRAGMA cache_size = ${-cacheKibibytes}`)
  return connection
}

const bytesOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Whether a kill has left behind what is committed and stands only in the log beside the file. */
const hasLog = (filename: string): boolean => bytesOf(filename) > 0 && bytesOf(`${filename}-wal`) > 0

const openNow = (options: ConnectionOptions): SqliteConnection => {
  const { busyTimeoutMillis, filename } = options
  const isChecked = hasLog(filename)
  if (isChecked) {
    // A connection that writes would, on being closed, carry the log over into the damaged file and remove it.
    const reader = openReaderNow(options)
    try {
      check(reader, filename)
    } finally {
      reader.close()
    }
  }
  const connection = new SqliteConnection(
    new DatabaseSync(filename, {
      timeout: busyTimeoutMillis,
      enableForeignKeyConstraints: true
    })
  )
  try {
    if (!isChecked) check(connection, filename)
    prepareForWriting(connection, filename)
    return connection
  } catch (cause) {
    connection.close()
    throw cause
  }
}

const closeNow = (connection: SqliteConnection): void => {
  try {
    connection.exec("PRAGMA optimize")
  } finally {
    connection.close()
  }
}

/**
 * Opens a database for writing, and closes it with the scope. The settings that durability rests on are read back, and
 * the file is checked: `quick_check` reads all of it, 1 s for about 1.5 GB.
 */
export const open = (options: ConnectionOptions): Effect.Effect<SqliteConnection, SqliteOpenError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => openNow(options),
      catch: (cause) => (cause instanceof SqliteOpenError ? cause : fromCause(options.filename, cause))
    }),
    (connection) =>
      Effect.ignore(
        Effect.try(() => closeNow(connection)),
        { log: "Warn", message: "closing the database" }
      )
  )

/** A second connection to a database that is open for writing: it cannot write, and sees only what is committed. */
export const openReader = (options: ConnectionOptions): Effect.Effect<SqliteConnection, SqliteOpenError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({ try: () => openReaderNow(options), catch: (cause) => fromCause(options.filename, cause) }),
    (connection) => Effect.sync(() => connection.close())
  )
