import { Context, type Effect, type Result } from "effect"
import type { SqlError, Statement } from "effect/sql"

/** The connection of a synchronous transaction. Each call returns directly, or throws a `SqlError`. */
export interface SyncConnection {
  readonly rows: <Row>(statement: Statement.Statement<Row>) => ReadonlyArray<Row>
  /** The number of rows that a statement changes. */
  readonly changes: (statement: Statement.Statement<unknown>) => number
}

/**
 * Runs a transaction synchronously on the `SqlClient`'s writing connection, and rolls it back if the body fails.
 * Resumes after the COMMIT. The body has no effect beyond the connection and may run again: the result of its last run
 * counts. The fiber has no open transaction. Only an engine in this process can provide it.
 */
export class TransactionSync extends Context.Service<
  TransactionSync,
  <A, E>(body: (connection: SyncConnection) => Result.Result<A, E>) => Effect.Effect<A, E | SqlError.SqlError>
>()("@wcs/store-sql/engine/TransactionSync") {}
