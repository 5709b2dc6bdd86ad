import { Effect, Exit, Result } from "effect"
import { SqlError } from "effect/sql"
import type { Tell } from "./Group.ts"
import type { Ending, Membership, Memberships } from "./Membership.ts"
import { fromCause } from "./SqliteError.ts"

/** Runs an operation of a synchronous transaction. Throws the errors of `node:sqlite`. */
export type RunSync = <A>(evaluate: () => A) => A

/**
 * The body of a synchronous transaction. A failure rolls it back. It has no effect beyond the connection, and may run
 * again: the result of its last run counts.
 */
export type BodySync<A, E> = (run: RunSync) => Result.Result<A, E>

// created once, because an Error is expensive to create
const notRun = Exit.die(new Error("the transaction has not run"))

/** Runs synchronous transactions. */
export const makeSyncTransactions = (memberships: Memberships) => {
  /** The exit of a synchronous body: the group's failure if the group is lost. */
  const exitOf = <A, E>(membership: Membership, body: BodySync<A, E>): Exit.Exit<A, E | SqlError.SqlError> => {
    try {
      const result = body((evaluate) => memberships.evaluate(membership, evaluate))
      if (membership.group?.lost !== undefined) return Exit.fail(fromCause(membership.group.lost.cause))
      return Result.isSuccess(result) ? Exit.succeed(result.success) : Exit.fail(result.failure)
    } catch (cause) {
      return SqlError.isSqlError(cause) ? Exit.fail(cause) : Exit.die(cause)
    }
  }

  /** Runs a whole transaction while no transaction uses the connection. Resumes after the COMMIT. */
  const perform = <A, E>(body: BodySync<A, E>, resume: (effect: Effect.Effect<A, E | SqlError.SqlError>) => void) => {
    let exit: Exit.Exit<A, E | SqlError.SqlError> = notRun
    const attempt = (membership: Membership): Ending => {
      exit = exitOf(membership, body)
      return Exit.isSuccess(exit) ? "keeps" : "undoes"
    }
    const tell: Tell = (failure) => resume(failure === undefined ? exit : Effect.fail(failure))
    try {
      memberships.perform(attempt, tell)
    } catch (cause) {
      tell(fromCause(cause))
    }
  }

  return { exitOf, perform }
}
