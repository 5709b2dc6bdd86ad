import { StoreAway } from "@wcs/domain/webhook/StoreAway"
import { Effect, Predicate } from "effect"
import { SqlError } from "effect/sql"

/** What is no matter of the statement: another time it may succeed as it is. */
const passing: ReadonlyArray<SqlError.SqlErrorReason["_tag"]> = [
  "ConnectionError",
  "AuthenticationError",
  "DeadlockError",
  "SerializationError",
  "LockTimeoutError",
  "StatementTimeoutError"
]

/**
 * The same of Postgres, by the beginning of its code, which Effect does not tell apart: a session that was ended for its
 * idling, a standby that takes no writes, no room or memory, a server that is stopped, and its disk.
 */
const passingStates: ReadonlyArray<string> = ["25P03", "25P04", "25006", "53", "57", "58"]

/** The same of SQLite: NOMEM, READONLY, IOERR, FULL. */
const passingResults: ReadonlyArray<number> = [7, 8, 10, 13]

const isPassing = ({ _tag, cause }: SqlError.SqlErrorReason): boolean => {
  if (passing.includes(_tag)) return true
  const state = Predicate.hasProperty(cause, "code") ? cause.code : undefined
  if (typeof state === "string") return passingStates.some((beginning) => state.startsWith(beginning))
  const result = Predicate.hasProperty(cause, "errno") ? cause.errno : undefined
  return typeof result === "number" && passingResults.includes(result & 0xff)
}

/** Tells what dies since the store is away from what dies of its own. */
export const tellingAway = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchDefect(effect, (defect) =>
    Effect.die(SqlError.isSqlError(defect) && isPassing(defect.reason) ? new StoreAway({ cause: defect }) : defect)
  )
