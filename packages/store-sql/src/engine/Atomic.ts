import { Context, Data, Effect, type Fiber, References, type Result } from "effect"
import { type SqlClient, SqlError, Statement } from "effect/sql"
import { type Immediate, run, runAtOnce, type Script } from "./Script.ts"

/** Somebody else changed a row between the reading and the writing of it: the transaction is undone. */
export class LostRace extends Data.TaggedError("LostRace") {}

/** How often something is tried that keeps losing. */
const roundsMax = 5

/** Postgres may pick this transaction to fail, of several that wait for or read each other. */
const collisions: ReadonlyArray<string> = ["DeadlockError", "SerializationError"]

/** Whether it is worth trying again: somebody else came first. */
export const isLost = (error: unknown): error is LostRace | SqlError.SqlError =>
  SqlError.isSqlError(error) ? collisions.includes(error.reason._tag) : error instanceof LostRace

/** What a script comes to: a failure undoes whatever it wrote. */
type Outcome<A, E> = Result.Result<A, E | LostRace>

/** A client that runs a whole transaction in one go, as that of SQLite does, whose statements never wait. */
interface AtOnce extends SqlClient.SqlClient {
  readonly atOnce: <A, E>(
    body: (connection: Immediate) => Result.Result<A, E>
  ) => Effect.Effect<A, E | SqlError.SqlError>
}

const isAtOnce = (sql: SqlClient.SqlClient): sql is AtOnce => "atOnce" in sql

/** Whether each statement is to be shown to somebody: traced, or handed to a transformer. */
const isWatched = (fiber: Fiber.Fiber<unknown, unknown>): boolean =>
  fiber.getRef(References.TracerEnabled) || fiber.getRef(Statement.CurrentTransformer) !== undefined

/** One transaction, as its own or within the one that is open. */
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
 * One transaction, made again from its beginning where a race was lost. It fails with what the script fails with, and
 * then nothing was written; whatever else goes wrong is a defect.
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
