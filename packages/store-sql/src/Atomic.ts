import { Data, Effect } from "effect"
import { type SqlClient, SqlError } from "effect/sql"

/** Somebody else changed a row between the reading and the writing of it: the transaction is undone. */
export class LostRace extends Data.TaggedError("LostRace") {}

/** How often something is tried that keeps losing. */
const roundsMax = 5

/** Postgres may pick this transaction to fail, of several that wait for or read each other. */
const collisions: ReadonlyArray<string> = ["DeadlockError", "SerializationError"]

const isLost = (error: LostRace | SqlError.SqlError): boolean =>
  !SqlError.isSqlError(error) || collisions.includes(error.reason._tag)

/** One transaction, made again from its beginning where a race was lost. Whatever else fails is a defect. */
export const atomically = <A>(
  sql: SqlClient.SqlClient,
  attempt: Effect.Effect<A, LostRace | SqlError.SqlError>
): Effect.Effect<A> =>
  sql.withTransaction(attempt).pipe(Effect.retry({ times: roundsMax - 1, while: isLost }), Effect.orDie)
