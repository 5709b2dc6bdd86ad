import { Deferred, Effect, Exit, Result, Scope, Semaphore } from "effect"
import { type SqlConnection, SqlError } from "effect/sql"
import type { SqliteConnection } from "./SqliteConnection.ts"
import { fromCause } from "./SqliteError.ts"

/** Runs an operation on the connection synchronously and classifies its errors. */
export type Run = <A>(evaluate: () => A) => Effect.Effect<A, SqlError.SqlError>

/** The connection of a synchronous transaction. Each call returns directly, or throws a `SqlError`. */
export interface Immediate {
  readonly rows: (sql: string, params: ReadonlyArray<unknown>) => ReadonlyArray<unknown>
  /** The number of rows that a statement changes. */
  readonly changes: (sql: string, params: ReadonlyArray<unknown>) => number
}

/** The body of a synchronous transaction. A failure rolls it back. */
export type Body<A, E> = (connection: Immediate) => Result.Result<A, E>

export interface GroupCommitOptions {
  /** The most transactions per COMMIT. 1 disables grouping. */
  readonly groupMax: number
}

/** The most event-loop turns that a growing group waits before its COMMIT. */
const turnsMax = 8

/** Transactions that share one BEGIN, one COMMIT and one fsync. */
interface Group {
  /** Called after the COMMIT, or with the failure if the group was lost. */
  readonly waiting: Array<(failure: SqlError.SqlError | undefined) => void>
  turns: number
  /** The number of members at the last turn of the event loop. */
  size: number
  /** The reason why the group was rolled back, if it was. */
  lost: { readonly cause: unknown } | undefined
}

/** A transaction's exclusive connection, from its seat in a group. */
export type Member = SqlConnection.Connection

interface Seat {
  group: Group | undefined
  /** No member wrote before, so a rollback of this member may roll back the group. */
  isFirst: boolean
  /** The transaction has ended; no further statement may run in it. */
  isOver: boolean
}

/** A seat that was acquired by waiting, and that others may wait for. */
interface HeldSeat extends Seat {
  /** Closing it hands the connection to the next member. */
  readonly held: Scope.Closeable
  left: boolean
}

const savepoint = "SAVEPOINT member"
const release = "RELEASE SAVEPOINT member"
const rollbackTo = "ROLLBACK TO SAVEPOINT member"

/** How a member ends: `keeps` commits, `undoes` rolls back. */
type Ending = "keeps" | "undoes"

/**
 * Lets concurrent transactions share one COMMIT.
 *
 * Each transaction runs alone; those after the first run in a savepoint, for which SQLite copies every page that they
 * change. Every outcome, also a failure, is reported only after the group's COMMIT, since it depends on the writes of
 * earlier members. A rollback of the first member rolls back the group; the next member begins another. A group commits
 * when no transaction waits to join and a turn of the event loop added no member. If SQLite itself rolls the group
 * back, for example because the disk is full, every member fails and none runs on outside it.
 */
export const make = (
  database: SqliteConnection,
  connect: (run: Run) => SqlConnection.Connection,
  { groupMax }: GroupCommitOptions
) => {
  const turn = Semaphore.makeUnsafe(1)
  const seats = new WeakMap<Member, HeldSeat>()
  let group: Group | undefined
  let seated: Seat | undefined
  /** Transactions that have the seat or wait for it. */
  let wanted = 0
  /** The event loop has turned meanwhile. The member that leaves the seat reviews the group. */
  let isDue = false

  const end = (ended: Group, failure: SqlError.SqlError | undefined): void => {
    if (group === ended) group = undefined
    for (const tell of ended.waiting.splice(0)) tell(failure)
  }

  const undo = (): void => {
    if (database.isTransaction) database.run("ROLLBACK")
  }

  /** Marks the group as lost: every member fails, and so does every further statement of the current member. */
  const abandon = (affected: Group, cause: unknown): void => {
    affected.lost ??= { cause }
    try {
      undo()
    } catch {
      // The next group rolls the open transaction back before it begins, or fails as well.
    }
    end(affected, fromCause(affected.lost.cause))
  }

  const commit = (due: Group): void => {
    try {
      database.run("COMMIT")
    } catch (cause) {
      abandon(due, cause)
      return
    }
    end(due, undefined)
  }

  /** Commits a group that no longer grows or has waited long enough; otherwise checks again a turn later. */
  const review = (waiting: Group): void => {
    const hasGrown = waiting.waiting.length > waiting.size
    waiting.size = waiting.waiting.length
    if (hasGrown && ++waiting.turns < turnsMax) schedule(waiting)
    else commit(waiting)
  }

  const schedule = (waiting: Group): void => {
    setImmediate(() => {
      if (group !== waiting) return
      if (wanted > 0) isDue = true
      else review(waiting)
    })
  }

  const open = (): Group => {
    undo()
    database.run("BEGIN IMMEDIATE") // a deferred transaction could fail when it turns from reading to writing
    group = { waiting: [], turns: 0, size: 0, lost: undefined }
    schedule(group)
    return group
  }

  const evaluateAs = <A>(seat: Seat, evaluate: () => A): A => {
    // The statement would run in another transaction's savepoint, or outside of any.
    if (seat.isOver) throw new Error("the transaction has ended")
    if (seat.group?.lost !== undefined) throw seat.group.lost.cause
    try {
      return evaluate()
    } catch (cause) {
      if (seat.group !== undefined && !database.isTransaction) abandon(seat.group, cause)
      throw cause
    }
  }

  const runAs =
    (seat: Seat): Run =>
    (evaluate) =>
      Effect.try({ try: () => evaluateAs(seat, evaluate), catch: fromCause })

  const leave = (seat: HeldSeat): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (seat.left) return Effect.void
      seat.left = true
      wanted--
      if (seated === seat) seated = undefined
      if (isDue && seated === undefined) {
        isDue = false
        if (group !== undefined) review(group)
      }
      return Scope.close(seat.held, Exit.void)
    })

  /** Waits for a seat and takes it until the scope closes, or until the transaction leaves it. */
  const acquire: Effect.Effect<Member, never, Scope.Scope> = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const held = yield* Scope.make()
      const seat: HeldSeat = { held, group: undefined, isFirst: false, isOver: false, left: false }
      wanted++
      // Registered before the wait: an interruption can arrive just when the seat becomes free.
      yield* Effect.addFinalizer(() => leave(seat))
      yield* restore(Scope.provide(turn.takeScoped(1), held))
      seated = seat
      const member = connect(runAs(seat))
      seats.set(member, seat)
      return member
    })
  )

  const seatOf = (member: Member): HeldSeat => {
    const seat = seats.get(member)
    if (seat === undefined) throw new Error("the connection belongs to no transaction group")
    return seat
  }

  const join = (seat: Seat): void => {
    seat.isFirst = group === undefined
    seat.group = group ?? open()
    if (!seat.isFirst) database.run(savepoint)
  }

  const begin = (member: Member): Effect.Effect<void, SqlError.SqlError> => {
    const seat = seatOf(member)
    return runAs(seat)(() => join(seat))
  }

  const close = ({ isFirst }: Seat, ending: Ending): void => {
    if (isFirst) {
      if (ending === "undoes") undo()
      return
    }
    if (ending === "undoes") database.run(rollbackTo)
    database.run(release)
  }

  /** Ends a member's part. The outcome is reported after the group's COMMIT or loss. */
  const part = (seat: Seat, ending: Ending, tell: Group["waiting"][number]): void => {
    const joined = seat.group
    if (joined === undefined) throw new Error("the transaction has not begun")
    seat.isOver = true // set before the seat is left: a forked fiber could still run a statement
    try {
      close(seat, ending)
    } catch (cause) {
      abandon(joined, cause) // an open savepoint would take later members along
      throw cause
    }
    // Pushed before the seat is free, so that the next member finds the group with it or committed.
    joined.waiting.push(tell)
    if (seat.isFirst && ending === "undoes") end(joined, undefined)
    else if (joined.waiting.length >= groupMax) commit(joined)
  }

  /** Ends a member's part, hands on the seat, and waits for the COMMIT. */
  const conclude = (member: Member, ending: Ending): Effect.Effect<void, SqlError.SqlError> =>
    Effect.suspend(() => {
      const seat = seatOf(member)
      const told = Deferred.makeUnsafe<void, SqlError.SqlError>()
      const tell: Group["waiting"][number] = (failure) =>
        Deferred.doneUnsafe(told, failure === undefined ? Effect.void : Effect.fail(failure))
      const closed = runAs(seat)(() => part(seat, ending, tell))
      return closed.pipe(Effect.andThen(leave(seat)), Effect.andThen(Deferred.await(told)))
    })

  const commitMember = (member: Member) => conclude(member, "keeps")

  /** Rolls back or closes a savepoint, unless SQLite has rolled back the whole group. */
  const unlessLost = <E>(member: Member, effect: (member: Member) => Effect.Effect<void, E>): Effect.Effect<void, E> =>
    Effect.suspend(() => (seatOf(member).group?.lost === undefined ? effect(member) : Effect.void))

  /** A group that SQLite rolled back is not rolled back again: the member's own failure has the reason. */
  const rollbackMember = (member: Member) => unlessLost(member, (own) => conclude(own, "undoes"))

  /** The error that a member reports: the group's if the group is lost, since a failure may depend on lost rows. */
  const failureOf = <E>(member: Member, error: E): E | SqlError.SqlError => {
    const lost = seatOf(member).group?.lost
    return lost === undefined || SqlError.isSqlError(error) ? error : fromCause(lost.cause)
  }

  /** Runs one effect as a transaction, from acquiring the seat to the COMMIT. */
  const transaction = <A, E>(use: (member: Member) => Effect.Effect<A, E | SqlError.SqlError>) =>
    Effect.scoped(
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const member = yield* restore(acquire)
          yield* begin(member)
          const exit = yield* Effect.exit(restore(use(member)))
          yield* Exit.isSuccess(exit) ? commitMember(member) : rollbackMember(member)
          return yield* exit
        })
      )
    )

  const immediateAs = (seat: Seat): Immediate => {
    const run = <A>(evaluate: () => A): A => {
      try {
        return evaluateAs(seat, evaluate)
      } catch (cause) {
        throw fromCause(cause)
      }
    }
    return {
      rows: (sql, params) => run(() => database.rows(sql, params)),
      changes: (sql, params) => run(() => Number(database.run(sql, params).changes))
    }
  }

  /** The exit of a synchronous body: the group's failure if the group is lost. */
  const exitOf = <A, E>(seat: Seat, body: Body<A, E>): Exit.Exit<A, E | SqlError.SqlError> => {
    try {
      const result = body(immediateAs(seat))
      if (seat.group?.lost !== undefined) return Exit.fail(fromCause(seat.group.lost.cause))
      return Result.isSuccess(result) ? Exit.succeed(result.success) : Exit.fail(result.failure)
    } catch (cause) {
      return SqlError.isSqlError(cause) ? Exit.fail(cause) : Exit.die(cause)
    }
  }

  /** Runs a whole transaction while nobody holds the connection. Resumes after the COMMIT. */
  const perform = <A, E>(body: Body<A, E>, resume: (effect: Effect.Effect<A, E | SqlError.SqlError>) => void) => {
    const seat: Seat = { group: undefined, isFirst: false, isOver: false }
    const fail = (cause: unknown) => resume(Effect.fail(fromCause(cause)))
    try {
      join(seat)
    } catch (cause) {
      return fail(cause)
    }
    const exit = exitOf(seat, body)
    if (seat.group?.lost !== undefined) return resume(exit)
    try {
      part(seat, Exit.isSuccess(exit) ? "keeps" : "undoes", (failure) =>
        resume(failure === undefined ? exit : Effect.fail(failure))
      )
    } catch (cause) {
      fail(cause)
    }
  }

  /**
   * Runs a synchronous transaction and rolls it back on failure. It needs no seat if nobody holds one: nothing else can
   * run meanwhile. The check happens where it begins, since a fiber may yield between any two steps.
   */
  const atOnce = <A, E>(body: Body<A, E>): Effect.Effect<A, E | SqlError.SqlError> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.callback((resume) => {
        if (wanted === 0) perform(body, resume)
        else resume(restore(transaction<A, E>((member) => Effect.suspend(() => exitOf(seatOf(member), body)))))
      })
    )

  return {
    atOnce,
    acquire,
    begin,
    commit: commitMember,
    rollback: rollbackMember,
    unlessLost,
    failureOf,
    transaction,
    /** Runs an operation on the connection between two members. */
    alone: (<A>(evaluate: () => A) => turn.withPermit(Effect.try({ try: evaluate, catch: fromCause }))) satisfies Run
  }
}
