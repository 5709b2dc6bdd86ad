import * as PgClient from "@effect/sql-pg/PgClient"
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import { Context, Effect, type Fiber, Layer, type Queue, type Redacted, References, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError, Statement } from "effect/sql"
import * as Sessions from "./Sessions.ts"

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with `sslmode` and further parameters. */
  readonly url: Redacted.Redacted
  /** The maximum number of open connections. Callers wait for a free one. */
  readonly connections: number
}

export class PostgresClient extends Context.Service<
  PostgresClient,
  SqlClient.SqlClient & {
    /** Listens for `NOTIFY`. A listener holds a connection until its scope closes. */
    readonly listen: (
      channel: string
    ) => Effect.Effect<Queue.Dequeue<PgConnection.Notification, SqlError.SqlError>, SqlError.SqlError, Scope.Scope>
    /**
     * Runs a SELECT and returns its rows as arrays, without the span of a `Statement`. Inside a transaction, or for a
     * tracer or a transformer, it is a `Statement`.
     */
    readonly read: (
      text: string,
      params: ReadonlyArray<unknown>
    ) => Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError.SqlError>
  }
>()("@wcs/postgres/PostgresClient") {}

/** The parameters of every connection. A pooler accepts no others. */
export const configOf = (url: Redacted.Redacted): PgConnection.Config => ({
  url,
  applicationName: "wcs",
  connectTimeout: "5 seconds",
  keepAlive: "10 seconds"
})

const connectionOf = (session: PgConnection.PgConnection): SqlConnection.Connection => {
  const rows =
    (isPrepared: boolean): SqlConnection.Connection["execute"] =>
    (text, params) =>
      Effect.map(session.query(text, params, isPrepared), (result) => result.rows)
  return {
    execute: rows(true),
    executeUnprepared: rows(false),
    executeRaw: session.query,
    executeValues: session.queryValues,
    executeValuesUnprepared: (text, params) => session.queryValues(text, params, false),
    executeStream: session.stream
  }
}

/** Postgres answers ROLLBACK instead of an error if an earlier statement of the transaction failed. */
const commit = (connection: SqlConnection.Connection) =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) => {
    if ((result as PgConnection.Result).command === "COMMIT") return Effect.void
    const message = "COMMIT rolled back a failed transaction"
    return new SqlError.SqlError({
      reason: new SqlError.UnknownError({ cause: new Error(message), message, operation: "commit" })
    })
  })

/** The maximum number of attempts of a statement. */
const attemptsMax = 5

/** Whether Postgres ended one of several conflicting transactions. A retry can succeed. */
const isLost = (error: unknown): boolean =>
  SqlError.isSqlError(error) && (error.reason._tag === "DeadlockError" || error.reason._tag === "SerializationError")

/** A statement outside of a transaction is a transaction of its own: it is rolled back as a whole, and can run again. */
const retrying = <A, E, R>(statement: Effect.Effect<A, E, R>) => {
  const attempt = (left: number): Effect.Effect<A, E, R> =>
    Effect.catch(statement, (error) => (left > 1 && isLost(error) ? attempt(left - 1) : Effect.fail(error)))
  return attempt(attemptsMax)
}

/** Whether a tracer or a transformer must see each statement of a fiber. */
const isObserved = (fiber: Fiber.Fiber<unknown, unknown>): boolean =>
  fiber.getRef(References.TracerEnabled) || fiber.getRef(Statement.CurrentTransformer) !== undefined

const make = Effect.fnUntraced(function* ({ connections, url }: PostgresOptions) {
  const sessions = yield* Sessions.make({ ...configOf(url), maxConnections: connections })
  const known = new WeakMap<PgConnection.PgConnection, SqlConnection.Connection>()
  /** The connection of a session, made once. */
  const connection = (session: PgConnection.PgConnection) => {
    const found = known.get(session)
    if (found !== undefined) return found
    const made = connectionOf(session)
    known.set(session, made)
    return made
  }
  /** No other caller uses the session until the scope closes. */
  const pinned = Effect.flatMap(sessions.get, (session) => session.pin)
  const borrow = <A, E, R>(work: (connection: SqlConnection.Connection) => Effect.Effect<A, E, R>) =>
    retrying(sessions.use((session) => work(connection(session))))
  const client = yield* SqlClient.make({
    driver: "pg",
    compiler: PgClient.makeCompiler(),
    acquirer: Effect.map(sessions.get, connection),
    borrower: borrow,
    transactionAcquirer: Effect.map(pinned, connectionOf),
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "postgresql"]]
  })
  const isInTransaction = ({ context }: Fiber.Fiber<unknown, unknown>) =>
    Context.getOrUndefined(context, client.transactionService) !== undefined
  return PostgresClient.of(
    Object.assign(client, {
      read: (text: string, params: ReadonlyArray<unknown>) =>
        Effect.withFiber((fiber) =>
          isObserved(fiber) || isInTransaction(fiber)
            ? client.unsafe(text, params).values
            : borrow((on) => on.executeValues(text, params))
        ),
      listen: (channel: string) => Effect.flatMap(pinned, (session) => session.listen(channel))
    })
  )
})

/** A client over a pool of sessions with the service's own settings and prepared statements. Connects when needed. */
export const layer = (options: PostgresOptions): Layer.Layer<PostgresClient | SqlClient.SqlClient, SqlError.SqlError> =>
  Layer.effectContext(
    Effect.map(make(options), (client) =>
      Context.make(PostgresClient, client).pipe(Context.add(SqlClient.SqlClient, client))
    )
  ).pipe(Layer.provide(Reactivity.layer))
