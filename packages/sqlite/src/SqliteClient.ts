import { realpathSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import {
  Clock,
  Context,
  Duration,
  Effect,
  Exit,
  type Fiber,
  Layer,
  References,
  type Result,
  Schedule,
  type Scope,
  Stream,
  Tracer
} from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, type SqlError, Statement } from "effect/sql"
import type { Member, Run } from "./ConnectionQueue.ts"
import * as GroupCommit from "./GroupCommit.ts"
import { inMemory, isInMemory, open, openReader, readsOnly, type SqliteConnection } from "./SqliteConnection.ts"
import { fromCause } from "./SqliteError.ts"
import * as SqliteLock from "./SqliteLock.ts"
import type { SqliteOpenError } from "./SqliteOpenError.ts"
import * as SyncConnection from "./SyncConnection.ts"
import type { RunSync } from "./SyncTransaction.ts"

export interface SqliteClientOptions {
  /** The database file, created if missing; its directory must exist. `:memory:` keeps nothing. */
  readonly filename: string
  /** How long a statement waits for a foreign process's lock, in milliseconds. It blocks the thread. */
  readonly busyTimeoutMillis?: number
  /** The maximum number of transactions per COMMIT, 256 by default. 1 disables grouping. */
  readonly groupMax?: number
}

type TransactionSync = <A, E>(
  body: (connection: SyncConnection.SyncConnection) => Result.Result<A, E>
) => Effect.Effect<A, E | SqlError.SqlError>

/** A client with synchronous transactions besides the portable interface. */
export class SqliteClient extends Context.Service<
  SqliteClient,
  SqlClient.SqlClient & {
    /**
     * Runs a transaction synchronously: nothing else runs between its statements. Rolls back if the body fails or
     * throws. Resumes after the COMMIT. The body has no effect beyond the connection and may run again: the result of
     * its last run counts. Do not call this method inside another transaction: the call would never return.
     */
    readonly transactionSync: TransactionSync
    /**
     * Runs a SELECT and returns its rows as arrays. Outside transactions, and unless a tracer or transformer must see
     * it, it runs directly on the reader. Otherwise it is a `Statement`. A database in memory has no reader: there it is
     * a `Statement` while another transaction runs.
     */
    readonly readSync: (
      text: string,
      params: ReadonlyArray<unknown>
    ) => Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError.SqlError>
    /**
     * The same, but returns rows as objects, and stops after the first row with which the texts exceed `most`
     * characters. As a `Statement` it returns all rows.
     */
    readonly readUpTo: (
      text: string,
      params: ReadonlyArray<unknown>,
      most: number
    ) => Effect.Effect<ReadonlyArray<Readonly<Record<string, unknown>>>, SqlError.SqlError>
  }
>()("@wcs/sqlite/SqliteClient") {}

// Only this process should use the file. A foreign lock blocks this thread no longer than this.
const defaultBusyTimeoutMillis = 200
const defaultGroupMax = 256

export const spanAttributes: ReadonlyArray<readonly [string, unknown]> = [["db.system.name", "sqlite"]]

/** Whether a tracer or a transformer must see each statement of a fiber. */
const isObserved = (fiber: Fiber.Fiber<unknown, unknown>): boolean =>
  fiber.getRef(References.TracerEnabled) || fiber.getRef(Statement.CurrentTransformer) !== undefined

/** A connection that runs its statements by `run`. */
export const makeConnection = (database: SqliteConnection, run: Run): SqlConnection.Connection => {
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

/**
 * The connection of statements outside transactions. Reads see only committed rows. A write is a transaction of its
 * own.
 */
const makeAutonomous = (
  reading: SqlConnection.Connection,
  writing: <A>(
    use: (member: SqlConnection.Connection) => Effect.Effect<A, SqlError.SqlError>
  ) => Effect.Effect<A, SqlError.SqlError>
): SqlConnection.Connection => {
  const on = <A>(sql: string, use: (connection: SqlConnection.Connection) => Effect.Effect<A, SqlError.SqlError>) =>
    readsOnly(sql) ? use(reading) : writing(use)
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

/** The real path, so that one file has one lock under all its paths. */
const realPath = (filename: string): string => {
  try {
    return realpathSync(filename)
  } catch {
    try {
      return join(realpathSync(dirname(filename)), basename(filename))
    } catch {
      return filename // opening the file reports the error
    }
  }
}

/** A client over a writing connection, which transactions take in turn, and an optional read-only one. */
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
  const control = (sql: string) => (member: Member) => Effect.asVoid(member.execute(sql, [], undefined))
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
  const transactionSync: TransactionSync = (body) =>
    Effect.withFiber((fiber) => {
      if (!isObserved(fiber)) return groups.transactionSync((run) => body(SyncConnection.make(writer, run)))
      const observed = (span: Tracer.Span) => (run: RunSync) => {
        const member = makeConnection(writer, (evaluate) => Effect.try({ try: () => run(evaluate), catch: fromCause }))
        const services = Context.add(fiber.context, client.transactionService, [member, 0])
        return body(SyncConnection.makeObserved(Context.add(services, Tracer.ParentSpan, span)))
      }
      return Effect.useSpan(
        "sql.transaction",
        { kind: "internal", attributes: Object.fromEntries(spanAttributes) },
        (span) =>
          Effect.onExit(groups.transactionSync(observed(span)), (exit) =>
            Effect.map(Clock.currentTimeNanos, (now) =>
              span.event(`effect.sql.transaction.${Exit.isSuccess(exit) ? "commit" : "rollback"}`, now)
            )
          )
      )
    })
  const isInTransaction = ({ context }: Fiber.Fiber<unknown, unknown>) =>
    Context.getOrUndefined(context, client.transactionService) !== undefined
  /** Runs a SELECT directly on a connection without open transaction. Undefined if it must be a `Statement`. */
  const directly = <A>(fiber: Fiber.Fiber<unknown, unknown>, read: (from: SqliteConnection) => A) => {
    // Without a reader, a transaction on the writer could show uncommitted rows.
    const from = reader ?? (groups.isWanted() ? undefined : writer)
    if (from === undefined || isObserved(fiber) || isInTransaction(fiber)) return undefined
    try {
      return Exit.succeed(read(from))
    } catch (cause) {
      return Exit.fail(fromCause(cause))
    }
  }
  const readSync: SqliteClient["Service"]["readSync"] = (text, params) =>
    Effect.withFiber(
      (fiber) => directly(fiber, (from) => from.values(text, params)) ?? client.unsafe(text, params).values
    )
  const readUpTo: SqliteClient["Service"]["readUpTo"] = (text, params, most) =>
    Effect.withFiber(
      (fiber) => directly(fiber, (from) => from.rowsUpTo(text, params, most)) ?? client.unsafe(text, params)
    )
  return SqliteClient.of(Object.assign(client, { withTransaction, transactionSync, readSync, readUpTo }))
})

const watchEvery = Duration.seconds(1)

/**
 * Fails all connections once the lock file is gone: another process may write to the database, so cached data, such as
 * revocations, may be outdated.
 */
const watch = (lock: SqliteLock.Held, filename: string, connections: ReadonlyArray<SqliteConnection>) => {
  const fault = new Error(`the lock file of ${filename} is gone: stop this process, and start it again`)
  const check = Effect.suspend(() => {
    if (lock.isHeld()) return Effect.succeed(true)
    for (const connection of connections) connection.invalidate(fault)
    return Effect.as(Effect.logFatal(fault.message), false)
  })
  return Effect.forkScoped(Effect.repeat(check, { schedule: Schedule.spaced(watchEvery), while: (isHeld) => isHeld }))
}

const contextOf = (client: SqliteClient["Service"]): Context.Context<SqlClient.SqlClient | SqliteClient> =>
  Context.make(SqlClient.SqlClient, client).pipe(Context.add(SqliteClient, client))

/** A database in memory has only one connection, for transactions and for reads. */
const makeInMemory = Effect.fnUntraced(function* (content?: Uint8Array) {
  const writer = yield* open({ filename: inMemory, busyTimeoutMillis: defaultBusyTimeoutMillis, content })
  // Members of a group would read each other's uncommitted rows.
  return { client: yield* makeClient(writer, undefined, 1), writer }
})

export const make = Effect.fnUntraced(function* (
  options: SqliteClientOptions
): Effect.fn.Return<
  Context.Context<SqlClient.SqlClient | SqliteClient>,
  SqliteOpenError,
  Reactivity.Reactivity | Scope.Scope
> {
  const { busyTimeoutMillis = defaultBusyTimeoutMillis, groupMax = defaultGroupMax } = options
  if (isInMemory(options.filename)) return contextOf((yield* makeInMemory()).client)
  const filename = realPath(options.filename)
  const lock = yield* SqliteLock.acquire(filename)
  const writer = yield* open({ filename, busyTimeoutMillis })
  const reader = yield* openReader({ filename, busyTimeoutMillis })
  yield* watch(lock, filename, [writer, reader])
  return contextOf(yield* makeClient(writer, reader, groupMax))
})

/**
 * An `effect/sql` client over `node:sqlite`, in WAL mode with `synchronous=FULL`: a committed write survives a power
 * cut. Concurrent transactions share one COMMIT (`GroupCommit`). The process locks the file until the layer is
 * released.
 */
export const layer = (options: SqliteClientOptions): Layer.Layer<SqlClient.SqlClient | SqliteClient, SqliteOpenError> =>
  Layer.effectContext(make(options)).pipe(Layer.provide(Reactivity.layer))

/**
 * A client of a database in memory, for tests. `fill` runs once per process, and each build begins with a copy of its
 * result, because copying is faster than running many migrations.
 */
export const layerMemory = <E>(
  fill: Effect.Effect<unknown, E, SqlClient.SqlClient>
): Layer.Layer<SqlClient.SqlClient | SqliteClient> => {
  const filled = Effect.gen(function* () {
    const { client, writer } = yield* makeInMemory()
    yield* Effect.provideService(fill, SqlClient.SqlClient, client)
    return writer.serialize()
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer), Effect.provideService(References.MinimumLogLevel, "Warn"))
  let content: Promise<Uint8Array> | undefined
  // In a fiber of its own: the clock, tracer and interruption of the first build do not concern later ones.
  const shared = Effect.promise(() => (content ??= Effect.runPromise(filled)))
  return Layer.effectContext(
    shared.pipe(
      Effect.flatMap(makeInMemory),
      Effect.map(({ client }) => contextOf(client)),
      Effect.orDie
    )
  ).pipe(Layer.provide(Reactivity.layer))
}
