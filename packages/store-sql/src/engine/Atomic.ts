import { Caller } from "@wcs/domain/access/Caller"
import { CallerEnded } from "@wcs/domain/access/CallerEnded"
import { traceparentOf } from "@wcs/domain/shared/TraceContext"
import { Context, Data, Effect, type Fiber, Option, Result } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { AccessEpoch, makeAccessWrites } from "../access/AccessEpoch.ts"
import { makeCallerCheck } from "../access/CallerCheck.ts"
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

/** The tenant whose access writes a transaction enters, and whether it is one of them (`AccessWrites.enter`). */
interface Entering {
  readonly tenantId: string
  readonly by: 0 | 1
}

/**
 * Runs a transaction and retries it after a lost race. The script must have no effect beyond the store, since it may
 * run several times. Fails with the script's error, and then nothing was written. Any other error is a defect.
 *
 * If the fiber has a caller, the transaction first checks that the caller still stands. Otherwise it writes nothing and
 * dies with `CallerEnded`.
 */
export type Atomically = <A, E = never>(script: Transaction<A, E>, entering?: Entering) => Effect.Effect<A, E>

/** Runs transactions synchronously if the engine can. Inside an open one they run as a savepoint of it. */
export const makeAtomically: Effect.Effect<Atomically, never, SqlClient.SqlClient | AccessEpoch> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    const epoch = yield* AccessEpoch
    const accessWrites = makeAccessWrites(sql, epoch)
    const callers = makeCallerCheck(sql, epoch)
    const transactionSync = Option.getOrUndefined(yield* Effect.serviceOption(TransactionSync))

    function* checked<A, E>(
      caller: Caller["Service"],
      script: Script<Outcome<A, E>>,
      entering: Entering | undefined
    ): Script<Outcome<A, E | CallerEnded>> {
      const writes =
        entering === undefined
          ? yield* accessWrites.read(caller.tenantId)
          : yield* accessWrites.enter(entering.tenantId, entering.by)
      const stands = yield* callers.check(caller, writes)
      return Result.isFailure(stands) ? Result.fail(stands.failure) : yield* script
    }

    function* unchecked<A, E>(
      script: Script<Outcome<A, E>>,
      { by, tenantId }: Entering
    ): Script<Outcome<A, E | CallerEnded>> {
      yield* accessWrites.enter(tenantId, by)
      return yield* script
    }

    const begun = <A, E>(
      fiber: Fiber.Fiber<unknown, unknown>,
      script: Transaction<A, E>,
      entering: Entering | undefined
    ): (() => Script<Outcome<A, E | CallerEnded>>) => {
      const traceparent = traceparentOf(fiber)
      const caller = Context.getOrUndefined(fiber.context, Caller)
      if (caller !== undefined) return () => checked(caller, script(traceparent), entering)
      return entering === undefined ? () => script(traceparent) : () => unchecked(script(traceparent), entering)
    }

    const byStatement = <A, E>(script: () => Script<Outcome<A, E>>) =>
      Effect.suspend(() => sql.withTransaction(Effect.flatMap(run(script()), Effect.fromResult)))

    const attempt = <A, E>(script: Transaction<A, E>, entering: Entering | undefined) =>
      Effect.withFiber((fiber): Effect.Effect<A, E | CallerEnded | LostRace | SqlError.SqlError> => {
        const start = begun(fiber, script, entering)
        return transactionSync === undefined ||
          Context.getOrUndefined(fiber.context, sql.transactionService) !== undefined
          ? byStatement(start)
          : transactionSync((connection) => runSync(start(), connection))
      })

    return <A, E>(script: Transaction<A, E>, entering?: Entering) =>
      Effect.catch(retrying(attempt(script, entering)), (error) => {
        const isOurs = error instanceof LostRace || error instanceof CallerEnded || SqlError.isSqlError(error)
        return isOurs ? Effect.die(error) : Effect.fail(error)
      })
  }
)
