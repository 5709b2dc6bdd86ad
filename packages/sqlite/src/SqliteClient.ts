import { realpathSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { Context, Effect, Layer, type Scope, Semaphore, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, type SqlError, Statement } from "effect/sql"
import * as SqliteBackup from "./SqliteBackup.ts"
import { isInMemory, open, type SqliteConnection } from "./SqliteConnection.ts"
import { fromCause } from "./SqliteError.ts"
import * as SqliteLock from "./SqliteLock.ts"
import type { SqliteOpenError } from "./SqliteOpenError.ts"

export interface SqliteClientOptions {
  /** The database, made where there is none; its directory must be there. `:memory:` keeps nothing. */
  readonly filename: string
  /** How long a statement waits for a lock that a foreign process holds, in milliseconds; the thread waits with it. */
  readonly busyTimeoutMillis?: number
}

const defaultBusyTimeoutMillis = 2000

/** Runs something on the connection at once, and classifies what it throws. */
type Run = <A>(evaluate: () => A) => Effect.Effect<A, SqlError.SqlError>

const run: Run = (evaluate) => Effect.try({ try: evaluate, catch: fromCause })

/**
 * How statements of one transaction run: none runs on once SQLite has rolled the transaction back by itself, as it does
 * when the disk is full. It would commit alone, and the COMMIT at the end would find nothing to fail for.
 */
const runInTransaction = (database: SqliteConnection): Run => {
  let lost: { readonly cause: unknown } | undefined
  return (evaluate) =>
    run(() => {
      if (lost !== undefined) throw lost.cause
      const wasOpen = database.isTransaction
      try {
        return evaluate()
      } catch (cause) {
        if (wasOpen && !database.isTransaction) lost = { cause }
        throw cause
      }
    })
}

const makeConnection = (database: SqliteConnection, run: Run): SqlConnection.Connection => {
  const execute: SqlConnection.Connection["execute"] = (sql, params, transformRows) => {
    const rows = run(() => database.rows(sql, params))
    return transformRows === undefined ? rows : Effect.map(rows, transformRows)
  }
  const executeValues: SqlConnection.Connection["executeValues"] = (sql, params) =>
    run(() => database.values(sql, params))
  return {
    execute,
    executeUnprepared: execute,
    executeRaw: (sql, params) => run(() => database.run(sql, params)),
    executeValues,
    executeValuesUnprepared: executeValues,
    executeStream: (sql, params, transformRows) =>
      Stream.unwrap(Effect.map(execute(sql, params, transformRows), Stream.fromIterable))
  }
}

/** One file has one lock, by whatever path it is reached. */
const realPath = (filename: string): string => {
  try {
    return realpathSync(filename)
  } catch {
    try {
      return join(realpathSync(dirname(filename)), basename(filename))
    } catch {
      return filename // opening it says what is wrong
    }
  }
}

/** A client over one connection, which statements and transactions take in turn. */
const makeClient = (database: SqliteConnection) => {
  const connection = makeConnection(database, run)
  const acquirers = SqlClient.makeSqliteAcquirers({
    connection: Effect.succeed(connection),
    semaphore: Semaphore.makeUnsafe(1),
    isTransaction: () => database.isTransaction
  })
  return SqlClient.make({
    ...acquirers,
    transactionAcquirer: Effect.map(acquirers.transactionAcquirer, () =>
      makeConnection(database, runInTransaction(database))
    ),
    compiler: Statement.makeCompilerSqlite(),
    driver: "sqlite-node",
    prepareTransactionControls: true,
    // A transaction that reads first and writes later could find that another writer came between.
    beginTransaction: "BEGIN IMMEDIATE",
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "sqlite"]]
  })
}

export const make = Effect.fnUntraced(function* (
  options: SqliteClientOptions
): Effect.fn.Return<
  Context.Context<SqlClient.SqlClient | SqliteBackup.SqliteBackup>,
  SqliteOpenError,
  Reactivity.Reactivity | Scope.Scope
> {
  const filename = isInMemory(options.filename) ? options.filename : realPath(options.filename)
  if (!isInMemory(filename)) yield* SqliteLock.acquire(filename)
  const busyTimeoutMillis = options.busyTimeoutMillis ?? defaultBusyTimeoutMillis
  const database = yield* open({ filename, busyTimeoutMillis })
  return Context.make(SqlClient.SqlClient, yield* makeClient(database)).pipe(
    Context.add(SqliteBackup.SqliteBackup, SqliteBackup.make(filename))
  )
})

/**
 * An `effect/sql` client over `node:sqlite`: one connection that writes, in WAL mode with `synchronous=FULL`, so that
 * what was committed survives a power cut. The file belongs to this process until the layer is released.
 */
export const layer = (
  options: SqliteClientOptions
): Layer.Layer<SqlClient.SqlClient | SqliteBackup.SqliteBackup, SqliteOpenError> =>
  Layer.effectContext(make(options)).pipe(Layer.provide(Reactivity.layer))
