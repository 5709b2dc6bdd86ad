import { Deferred, Effect, Exit } from "effect"
import { type SqlConnection, SqlError } from "effect/sql"
import { type Member, makeConnectionQueue, type Run } from "./ConnectionQueue.ts"
import { makeGroups, type Tell } from "./Group.ts"
import { type Ending, type Membership, makeMemberships } from "./Membership.ts"
import type { SqliteConnection } from "./SqliteConnection.ts"
import { fromCause } from "./SqliteError.ts"
import { type BodySync, makeSyncTransactions } from "./SyncTransaction.ts"

export interface GroupCommitOptions {
  /** The maximum number of transactions per COMMIT. 1 disables grouping. */
  readonly groupMax: number
}

/**
 * Lets concurrent transactions share one COMMIT.
 *
 * Transactions run one at a time. Synchronous ones can run again, so they need no savepoint, for which SQLite would
 * copy every page that they change. If one fails after a write, the group is rolled back, and all of them run again,
 * each in a savepoint. The first member that cannot run again, and each member after it, has a savepoint.
 *
 * Every outcome, also a failure, is reported only after the group's COMMIT, since it depends on the writes of earlier
 * members. A rollback of the first member rolls back the group; the next member begins another. If SQLite itself rolls
 * the group back, for example because the disk is full, every member fails, and none continues outside the group.
 */
export const make = (
  database: SqliteConnection,
  connect: (run: Run) => SqlConnection.Connection,
  { groupMax }: GroupCommitOptions
) => {
  const groups = makeGroups(database)
  const memberships = makeMemberships(database, groups, groupMax)
  const runAs =
    (membership: Membership): Run =>
    (evaluate) =>
      Effect.try({ try: () => memberships.evaluate(membership, evaluate), catch: fromCause })
  const { acquire, alone, leave, membershipOf } = makeConnectionQueue(groups, (membership) =>
    connect(runAs(membership))
  )
  const { exitOf, perform } = makeSyncTransactions(memberships)

  const begin = (member: Member): Effect.Effect<void, SqlError.SqlError> => {
    const membership = membershipOf(member)
    return runAs(membership)(() => memberships.join(membership))
  }

  /** Ends a member's part, hands on the connection, and waits for the COMMIT. */
  const conclude = (member: Member, ending: Ending): Effect.Effect<void, SqlError.SqlError> =>
    Effect.suspend(() => {
      const membership = membershipOf(member)
      const told = Deferred.makeUnsafe<void, SqlError.SqlError>()
      const tell: Tell = (failure) =>
        Deferred.doneUnsafe(told, failure === undefined ? Effect.void : Effect.fail(failure))
      const closed = runAs(membership)(() => memberships.part(membership, ending, tell))
      return closed.pipe(Effect.andThen(leave(membership)), Effect.andThen(Deferred.await(told)))
    })

  const commit = (member: Member) => conclude(member, "keeps")

  /** Rolls back or closes a savepoint, unless SQLite has rolled back the whole group. */
  const unlessLost = <E>(member: Member, effect: (member: Member) => Effect.Effect<void, E>): Effect.Effect<void, E> =>
    Effect.suspend(() => (membershipOf(member).group?.lost === undefined ? effect(member) : Effect.void))

  /** A group that SQLite rolled back is not rolled back again: the member's own failure has the reason. */
  const rollback = (member: Member) => unlessLost(member, (own) => conclude(own, "undoes"))

  /** The error that a member reports: the group's if the group is lost, since a failure may depend on lost rows. */
  const failureOf = <E>(member: Member, error: E): E | SqlError.SqlError => {
    const lost = membershipOf(member).group?.lost
    return lost === undefined || SqlError.isSqlError(error) ? error : fromCause(lost.cause)
  }

  /** Runs one effect as a transaction, from acquiring the connection to the COMMIT. */
  const transaction = <A, E>(use: (member: Member) => Effect.Effect<A, E | SqlError.SqlError>) =>
    Effect.scoped(
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const member = yield* restore(acquire)
          yield* begin(member)
          const exit = yield* Effect.exit(restore(use(member)))
          yield* Exit.isSuccess(exit) ? commit(member) : rollback(member)
          return yield* exit
        })
      )
    )

  /**
   * Runs a synchronous transaction and rolls it back on failure. It does not wait for the connection if nobody holds it: nothing else can
   * run meanwhile. The check happens where it begins, since a fiber may yield between any two steps.
   */
  const transactionSync = <A, E>(body: BodySync<A, E>): Effect.Effect<A, E | SqlError.SqlError> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.callback((resume) => {
        if (!groups.isWanted()) perform(body, resume)
        else resume(restore(transaction<A, E>((member) => Effect.suspend(() => exitOf(membershipOf(member), body)))))
      })
    )

  return {
    transactionSync,
    isWanted: groups.isWanted,
    acquire,
    begin,
    commit,
    rollback,
    unlessLost,
    failureOf,
    transaction,
    alone
  }
}
