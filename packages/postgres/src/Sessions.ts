import type * as PgConnection from "@effect/sql-pg/PgConnection"
import * as PgPool from "@effect/sql-pg/PgPool"
import { Effect, type Scope } from "effect"
import { SqlError } from "effect/sql"

// The role, the database and the server can have any defaults. So each session gets the settings that the statements
// rely on. They are set after connecting, because a pooler refuses them as parameters of the connection.

/** '0' is no limit. */
const settings: Readonly<Record<string, string>> = {
  default_transaction_isolation: "read committed",
  statement_timeout: "30s",
  idle_in_transaction_session_timeout: "30s",
  idle_session_timeout: "0",
  transaction_timeout: "0",
  lock_timeout: "0",
  timezone: "UTC",
  datestyle: "ISO, MDY",
  intervalstyle: "postgres",
  bytea_output: "hex",
  standard_conforming_strings: "on",
  // Statements are short, and the planner expects more rows than lists read. To compile one costs up to seconds.
  jit: "off"
}

/**
 * Leaves out settings that this version of Postgres does not have. With `synchronous_commit = off`, a crash of the
 * server would lose acknowledged writes; the other values are the operator's choice.
 */
const setUp = `SELECT set_config(wanted.key, wanted.value, false) FROM json_each_text(CAST($1 AS JSON)) AS wanted
    WHERE current_setting(wanted.key, true) IS NOT NULL
  UNION ALL SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`

/** No statement of a caller was sent, so a failure here means that no connection was available. */
const unconnected = ({ message, reason }: SqlError.SqlError) =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({ cause: reason.cause, message, operation: "connect" })
  })

/** A pool whose sessions have these settings. */
export interface Sessions {
  /** Lends a session to an effect. */
  readonly use: <A, E, R>(
    work: (session: PgConnection.PgConnection) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | SqlError.SqlError, R>
  /** A session until the scope closes. */
  readonly get: Effect.Effect<PgConnection.PgConnection, SqlError.SqlError, Scope.Scope>
}

/** Opens sessions when they are needed. A session is set up when it is used first. */
export const make = Effect.fnUntraced(function* (config: PgPool.Config) {
  const pool = yield* PgPool.make(config)
  const ready = new WeakSet<PgConnection.PgConnection>()
  const makeReady = (session: PgConnection.PgConnection) =>
    session.query(setUp, [JSON.stringify(settings)], false).pipe(
      Effect.mapError(unconnected),
      Effect.map(() => {
        ready.add(session)
        return session
      })
    )
  const sessions: Sessions = {
    use: (work) =>
      pool.use((session) => (ready.has(session) ? work(session) : Effect.flatMap(makeReady(session), work))),
    get: Effect.flatMap(pool.get, (session) => (ready.has(session) ? Effect.succeed(session) : makeReady(session)))
  }
  return sessions
})
