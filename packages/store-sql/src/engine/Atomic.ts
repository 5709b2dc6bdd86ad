import { traceparentOf } from "@wcs/domain/shared/TraceContext"
import { Context, Data, Effect, Option, type Result } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { run, runSync, type Script } from "./Script.ts"
import { TransactionSync } from "./TransactionSync.ts"

/** Another transaction changed a row between its read and its write. The transaction is rolled back. */
export class LostRace extends Data.TaggedError("LostRace") {}

/** The maximum number of attempts of a transaction that loses each race. */
const roundsMax = 5

/** Errors by which Postgres ends one of several conflicting transactions. */
const collisions: ReadonlyArray<string> = ["DeadlockError", "SerializationError"]

/** Whether a retry can succeed: another transaction came first. */
export const isLost = (error: unknown): error is LostRace | SqlError.SqlError =>
  SqlError.isSqlError(error) ? collisions.includes(error.reason._tag) : error instanceof LostRace

/** The result of a script. A failure rolls its writes back. */
type Outcome<A, E> = Result.Result<A, E | LostRace>

/** Runs a transaction again after a lost race. It must have no effect beyond the store. */
export const retrying = <A, E, R>(transaction: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const round = (left: number): Effect.Effect<A, E, R> =>
    Effect.catch(transaction, (error) => (left > 1 && isLost(error) ? round(left - 1) : Effect.fail(error)))
  return round(roundsMax)
}

/** The script of a transaction. It stores the `traceparent` of its caller, if any, with the work that it leaves. */
type Transaction<A, E> = (traceparent: string | null) => Script<Outcome<A, E>>

/**
 * Runs a transaction and retries it after a lost race. The script must have no effect beyond the store, since it may
 * run several times. Fails with the script's error, and then nothing was written. Any other error is a defect.
 */
export type Atomically = <A, E = never>(script: Transaction<A, E>) => Effect.Effect<A, E>

/** Runs transactions synchronously if the engine can. Inside an open one they run as a savepoint of it. */
export const makeAtomically: Effect.Effect<Atomically, never, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const transactionSync = Option.getOrUndefined(yield* Effect.serviceOption(TransactionSync))

  const byStatement = <A, E>(script: Transaction<A, E>, traceparent: string | null) =>
    Effect.suspend(() => sql.withTransaction(Effect.flatMap(run(script(traceparent)), Effect.fromResult)))

  const attempt = <A, E>(script: Transaction<A, E>): Effect.Effect<A, E | LostRace | SqlError.SqlError> =>
    Effect.withFiber((fiber) => {
      const traceparent = traceparentOf(fiber)
      return transactionSync === undefined ||
        Context.getOrUndefined(fiber.context, sql.transactionService) !== undefined
        ? byStatement(script, traceparent)
        : transactionSync((connection) => runSync(script(traceparent), connection))
    })

  return <A, E>(script: Transaction<A, E>) =>
    Effect.catch(retrying(attempt(script)), (error) =>
      error instanceof LostRace || SqlError.isSqlError(error) ? Effect.die(error) : Effect.fail(error)
    )
})
