import { StoreUnavailable } from "@wcs/domain/webhook/StoreUnavailable"
import { Effect, Predicate } from "effect"
import { SqlError } from "effect/sql"

/** Errors that are not the statement's fault: a later attempt may succeed. */
const passing: ReadonlyArray<SqlError.SqlErrorReason["_tag"]> = [
  "ConnectionError",
  "AuthenticationError",
  "DeadlockError",
  "SerializationError",
  "LockTimeoutError",
  "StatementTimeoutError"
]

/**
 * Prefixes of Postgres error codes with the same meaning, which Effect does not classify: idle or long transaction
 * ended, read-only standby, exhausted resources, stopped server, system failure.
 */
const passingStates: ReadonlyArray<string> = ["25P03", "25P04", "25006", "53", "57", "58"]

/** SQLite result codes with the same meaning: NOMEM, READONLY, IOERR, FULL. */
const passingResults: ReadonlyArray<number> = [7, 8, 10, 13]

const isPassing = ({ _tag, cause }: SqlError.SqlErrorReason): boolean => {
  if (passing.includes(_tag)) return true
  const state = Predicate.hasProperty(cause, "code") ? cause.code : undefined
  if (typeof state === "string") return passingStates.some((beginning) => state.startsWith(beginning))
  const result = Predicate.hasProperty(cause, "errno") ? cause.errno : undefined
  return typeof result === "number" && passingResults.includes(result & 0xff)
}

/** Marks defects caused by an unavailable store, so that callers can distinguish them from other defects. */
export const markUnavailable = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchDefect(effect, (cause) =>
    Effect.die(SqlError.isSqlError(cause) && isPassing(cause.reason) ? new StoreUnavailable({ cause }) : cause)
  )
