import { Context, Data, Effect, type Fiber, References, type Result } from "effect"
import { type SqlClient, SqlError, Statement } from "effect/sql"
import { type Immediate, run, runAtOnce, type Script } from "./Script.ts"

/** Another transaction changed a row between its read and its write. The transaction is rolled back. */
export class LostRace extends Data.TaggedError("LostRace") {}

/** The most attempts for a transaction that keeps losing. */
const roundsMax = 5

/** Errors by which Postgres ends one of several conflicting transactions. */
const collisions: ReadonlyArray<string> = ["DeadlockError", "SerializationError"]

/** Whether a retry can succeed: another transaction came first. */
export const isLost = (error: unknown): error is LostRace | SqlError.SqlError =>
  SqlError.isSqlError(error) ? collisions.includes(error.reason._tag) : error instanceof LostRace

/** The result of a script. A failure rolls its writes back. */
type Outcome<A, E> = Result.Result<A, E | LostRace>

/** A client with synchronous transactions, such as SQLite's. */
interface AtOnce extends SqlClient.SqlClient {
  readonly atOnce: <A, E>(
    body: (connection: Immediate) => Result.Result<A, E>
  ) => Effect.Effect<A, E | SqlError.SqlError>
}

const isAtOnce = (sql: SqlClient.SqlClient): sql is AtOnce => "atOnce" in sql

/** Whether a tracer or a transformer must see each statement. */
const isWatched = (fiber: Fiber.Fiber<unknown, unknown>): boolean =>
  fiber.getRef(References.TracerEnabled) || fiber.getRef(Statement.CurrentTransformer) !== undefined

/** Runs the transaction once, on its own or inside the open one. */
const attempt = <A, E>(
  sql: SqlClient.SqlClient,
  script: () => Script<Outcome<A, E>>
): Effect.Effect<A, E | LostRace | SqlError.SqlError> =>
  Effect.withFiber((fiber) => {
    const isInner = Context.getOrUndefined(fiber.context, sql.transactionService) !== undefined
    return isAtOnce(sql) && !isInner && !isWatched(fiber)
      ? sql.atOnce((connection) => runAtOnce(script(), connection))
      : sql.withTransaction(
          Effect.flatMap(
            Effect.suspend(() => run(script())),
            Effect.fromResult
          )
        )
  })

/**
 * Runs a transaction and retries it after a lost race. Fails with the script's error, and then nothing was written. Any
 * other error is a defect.
 */
export const atomically = <A, E = never>(
  sql: SqlClient.SqlClient,
  script: () => Script<Outcome<A, E>>
): Effect.Effect<A, E> => {
  const round = (left: number): Effect.Effect<A, E> =>
    Effect.catch(attempt(sql, script), (error) => {
      if (left > 1 && isLost(error)) return round(left - 1)
      return error instanceof LostRace || SqlError.isSqlError(error) ? Effect.die(error) : Effect.fail(error)
    })
  return round(roundsMax)
}
