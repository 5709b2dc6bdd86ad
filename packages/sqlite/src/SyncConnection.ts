import { Cause, type Context, Effect, Exit, Predicate } from "effect"
import type { SqlError, Statement } from "effect/sql"
import type { SqliteConnection } from "./SqliteConnection.ts"
import { fromCause } from "./SqliteError.ts"
import type { RunSync } from "./SyncTransaction.ts"

/** The connection of a synchronous transaction. Each call returns directly, or throws a `SqlError`. */
export interface SyncConnection {
  readonly rows: <Row>(statement: Statement.Statement<Row>) => ReadonlyArray<Row>
  /** The number of rows that a statement changes. */
  readonly changes: (statement: Statement.Statement<unknown>) => number
}

/** The text and parameters. A statement of one text, as `unsafe` makes it, is not compiled at each run. */
const textOf = (statement: Statement.Statement<unknown>): readonly [string, ReadonlyArray<unknown>] => {
  const [first] = statement.segments
  return statement.segments.length === 1 && first?._tag === "Literal"
    ? [first.value, first.params ?? []]
    : statement.compile()
}

/** Runs only the text of each statement. */
export const make = (database: SqliteConnection, runSync: RunSync): SyncConnection => {
  const run: RunSync = (evaluate) => {
    try {
      return runSync(evaluate)
    } catch (cause) {
      throw fromCause(cause)
    }
  }
  return {
    rows: <Row>(statement: Statement.Statement<Row>) => {
      const [sql, params] = textOf(statement)
      const rows: unknown = run(() => database.rows(sql, params))
      return rows as ReadonlyArray<Row> // the statement names the type of its rows, as everywhere in `effect/sql`
    },
    changes: (statement) => {
      const [sql, params] = textOf(statement)
      return Number(run(() => database.run(sql, params)).changes)
    }
  }
}

/**
 * Runs each statement as an effect, so that `effect/sql` makes its span and applies a transformer, which must be
 * synchronous. `services` include the connection of the transaction.
 */
export const makeObserved = (services: Context.Context<never>): SyncConnection => {
  const exitOf = Effect.runSyncExitWith(services)
  const run = <A>(statement: Effect.Effect<A, SqlError.SqlError>): A => {
    const exit = exitOf(statement)
    if (Exit.isSuccess(exit)) return exit.value
    throw Cause.squash(exit.cause)
  }
  return {
    rows: (statement) => run(statement),
    changes: (statement) => {
      const done = run(statement.raw)
      return Predicate.hasProperty(done, "changes") ? Number(done.changes) : 0
    }
  }
}
