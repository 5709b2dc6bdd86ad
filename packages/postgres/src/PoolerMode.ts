import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, type Redacted } from "effect"
import { SqlError } from "effect/sql"
import { configOf } from "./PostgresClient.ts"

/** Every process of the service needs at least as many connections. */
const probes = 4

/** A pooler lets a connection wait while all of its sessions are in use. */
const answerSeconds = 30

const noneFree = () => {
  const message = `no connection was free within ${answerSeconds} seconds: raise the pool size of the pooler`
  return Effect.fail(
    new SqlError.SqlError({
      reason: new SqlError.ConnectionError({ cause: new Error(message), message, operation: "connect" })
    })
  )
}

const run = (connection: PgConnection.PgConnection, text: string) => connection.query(text, [], false)

/** The process of the session that runs a statement of the connection. */
const sessionOf = (connection: PgConnection.PgConnection) =>
  Effect.map(run(connection, "SELECT pg_backend_pid() AS pid"), ({ rows: [row] }) => row?.["pid"])

/** While all connections have a transaction, each must have another session. */
const inTransactions = Effect.fnUntraced(function* (connections: ReadonlyArray<PgConnection.PgConnection>) {
  yield* Effect.forEach(connections, (connection) => run(connection, "BEGIN"))
  const sessions = yield* Effect.forEach(connections, sessionOf)
  yield* Effect.forEach(connections, (connection) => run(connection, "ROLLBACK"))
  return sessions
})

/**
 * Whether a pooler gives a connection another session for each transaction or statement. Such a connection loses its
 * settings, prepared statements, locks and notifications. The probe changes nothing, also no setting of a session. A
 * pooler of several processes is recognized only if one of them got two of the connections.
 */
export const sharesSessions = Effect.fnUntraced(
  function* (url: Redacted.Redacted) {
    const connections = yield* Effect.all(
      Array.from({ length: probes }, () => PgConnection.make(configOf(url))),
      { concurrency: "unbounded" }
    )
    const first = yield* Effect.forEach(connections, sessionOf)
    if (new Set(first).size < probes) return true
    const second = yield* inTransactions(connections)
    // In the other order, because many poolers hand out the session that became free last.
    const third = (yield* Effect.forEach(connections.toReversed(), sessionOf)).toReversed()
    return first.some((session, index) => session !== second[index] || session !== third[index])
  },
  Effect.scoped,
  Effect.timeoutOrElse({ duration: `${answerSeconds} seconds`, orElse: noneFree })
)
