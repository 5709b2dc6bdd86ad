import { realpathSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { Context, Duration, Effect, Layer, Schedule, type Scope, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, type SqlError, Statement } from "effect/sql"
import * as GroupCommit from "./GroupCommit.ts"
import * as SqliteBackup from "./SqliteBackup.ts"
import { isInMemory, open, openReader, type SqliteConnection } from "./SqliteConnection.ts"
import { fromCause } from "./SqliteError.ts"
import * as SqliteLock from "./SqliteLock.ts"
import type { SqliteOpenError } from "./SqliteOpenError.ts"

export interface SqliteClientOptions {
  /** The database, made where there is none; its directory must be there. `:memory:` keeps nothing. */
  readonly filename: string
  /** How long a statement waits for a lock that a foreign process holds, in milliseconds; the thread waits with it. */
  readonly busyTimeoutMillis?: number
  /** How many transactions share one COMMIT at the most, 256 by default; 1 gives each its own. */
  readonly groupMax?: number
}

/** The client as more than the portable one: it runs a whole transaction in one go, too. */
export class SqliteClient extends Context.Service<
  SqliteClient,
  SqlClient.SqlClient & {
    /**
     * A transaction whose statements are run at once, one after the other: nothing else happens between them. It is
     * undone where the body fails or throws, and like any other it is answered after its COMMIT. It is no transaction
     * within another, for whose end it would wait for ever.
     */
    readonly atOnce: <A, E>(body: GroupCommit.Body<A, E>) => Effect.Effect<A, E | SqlError.SqlError>
  }
>()("@wcs/sqlite/SqliteClient") {}

// Nobody else has business with the file; a stranger who locks it stops this thread no longer than this.
const defaultBusyTimeoutMillis = 200
const defaultGroupMax = 256

const spanAttributes: ReadonlyArray<readonly [string, unknown]> = [["db.system.name", "sqlite"]]

/** A connection whose statements run by `run`. */
const makeConnection = (database: SqliteConnection, run: GroupCommit.Run): SqlConnection.Connection => {
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

/** Statements that only read, by their first word: whatever else may write, and is taken for a write. */
const readsOnly = /^\s*(?:SELECT|EXPLAIN|VALUES)\b/i

/**
 * The connection of statements outside transactions. Reads go where nothing is seen but what is committed; a write is
 * a transaction of one statement.
 */
const makeAutonomous = (
  reading: SqlConnection.Connection,
  writing: <A>(
    use: (member: SqlConnection.Connection) => Effect.Effect<A, SqlError.SqlError>
  ) => Effect.Effect<A, SqlError.SqlError>
): SqlConnection.Connection => {
  const on = <A>(sql: string, use: (connection: SqlConnection.Connection) => Effect.Effect<A, SqlError.SqlError>) =>
    readsOnly.test(sql) ? use(reading) : writing(use)
  const execute: SqlConnection.Connection["execute"] = (sql, params, transformRows) =>
    on(sql, (connection) => connection.execute(sql, params, transformRows))
  const executeValues: SqlConnection.Connection["executeValues"] = (sql, params) =>
    on(sql, (connection) => connection.executeValues(sql, params))
  return {
    execute,
    executeUnprepared: execute,
    executeRaw: (sql, params) => on(sql, (connection) => connection.executeRaw(sql, params)),
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

/** A client over a connection that writes, which transactions take in turn, and one that only reads, if there is one. */
const makeClient = Effect.fnUntraced(function* (
  writer: SqliteConnection,
  reader: SqliteConnection | undefined,
  groupMax: number
) {
  const groups = GroupCommit.make(writer, (run) => makeConnection(writer, run), { groupMax })
  const reading =
    reader === undefined
      ? makeConnection(writer, groups.alone)
      : makeConnection(reader, (evaluate) => Effect.try({ try: evaluate, catch: fromCause }))
  const autonomous = makeAutonomous(reading, groups.transaction)
  const client = yield* SqlClient.make({
    acquirer: Effect.succeed(autonomous),
    borrower: (use) => use(autonomous),
    compiler: Statement.makeCompilerSqlite(),
    driver: "sqlite-node",
    spanAttributes
  })
  const control = (sql: string) => (member: GroupCommit.Member) => Effect.asVoid(member.execute(sql, [], undefined))
  const inTransaction = SqlClient.makeWithTransaction({
    transactionService: client.transactionService,
    spanAttributes,
    acquireConnection: (restore) => restore(groups.acquire),
    begin: groups.begin,
    commit: groups.commit,
    rollback: groups.rollback,
    savepoint: (member, id) => control(`SAVEPOINT inner_${id}`)(member),
    releaseSavepoint: (member, id) => groups.unlessLost(member, control(`RELEASE SAVEPOINT inner_${id}`)),
    rollbackSavepoint: (member, id) => groups.unlessLost(member, control(`ROLLBACK TO SAVEPOINT inner_${id}`))
  })
  const withTransaction: typeof inTransaction = (effect) =>
    inTransaction(
      Effect.withFiber((fiber) => {
        const [member] = Context.getUnsafe(fiber.context, client.transactionService)
        return Effect.mapError(effect, (error) => groups.failureOf(member, error))
      })
    )
  return SqliteClient.of(Object.assign(client, { withTransaction, atOnce: groups.atOnce }))
})

const watchEvery = Duration.seconds(1)

/**
 * Stops serving once the lock file is gone: another process may have the database now, and what is remembered here,
 * who was revoked among it, need not be so any more.
 */
const watch = (lock: SqliteLock.Held, filename: string, connections: ReadonlyArray<SqliteConnection | undefined>) => {
  const fault = new Error(`the lock file of ${filename} is gone: stop this process, and start it again`)
  const check = Effect.suspend(() => {
    if (lock.isHeld()) return Effect.succeed(true)
    for (const connection of connections) connection?.invalidate(fault)
    return Effect.as(Effect.logFatal(fault.message), false)
  })
  return Effect.forkScoped(Effect.repeat(check, { schedule: Schedule.spaced(watchEvery), while: (isHeld) => isHeld }))
}

export const make = Effect.fnUntraced(function* (
  options: SqliteClientOptions
): Effect.fn.Return<
  Context.Context<SqlClient.SqlClient | SqliteClient | SqliteBackup.SqliteBackup>,
  SqliteOpenError,
  Reactivity.Reactivity | Scope.Scope
> {
  const { busyTimeoutMillis = defaultBusyTimeoutMillis, groupMax = defaultGroupMax } = options
  const inMemory = isInMemory(options.filename)
  const filename = inMemory ? options.filename : realPath(options.filename)
  const lock = inMemory ? undefined : yield* SqliteLock.acquire(filename)
  const writer = yield* open({ filename, busyTimeoutMillis })
  // A database in memory has one connection alone: nothing uncommitted may stand in it while somebody reads.
  const reader = inMemory ? undefined : yield* openReader({ filename, busyTimeoutMillis })
  if (lock !== undefined) yield* watch(lock, filename, [writer, reader])
  const client = yield* makeClient(writer, reader, inMemory ? 1 : groupMax)
  return Context.make(SqlClient.SqlClient, client).pipe(
    Context.add(SqliteClient, client),
    Context.add(SqliteBackup.SqliteBackup, SqliteBackup.make(filename))
  )
})

/**
 * An `effect/sql` client over `node:sqlite`, in WAL mode with `synchronous=FULL`, so that what was committed survives a
 * power cut; transactions that wait at the same time share one COMMIT (`GroupCommit`). The file belongs to this process
 * until the layer is released.
 */
export const layer = (
  options: SqliteClientOptions
): Layer.Layer<SqlClient.SqlClient | SqliteClient | SqliteBackup.SqliteBackup, SqliteOpenError> =>
  Layer.effectContext(make(options)).pipe(Layer.provide(Reactivity.layer))
