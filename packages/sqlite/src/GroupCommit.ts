import { Deferred, Effect, Exit, Result, Scope, Semaphore } from "effect"
import { type SqlConnection, SqlError } from "effect/sql"
import type { SqliteConnection } from "./SqliteConnection.ts"
import { fromCause } from "./SqliteError.ts"

/** Runs something on the connection at once, and classifies what it throws. */
export type Run = <A>(evaluate: () => A) => Effect.Effect<A, SqlError.SqlError>

/** The connection as a transaction has it that is run in one go: it answers at once, and throws a `SqlError`. */
export interface Immediate {
  readonly rows: (sql: string, params: ReadonlyArray<unknown>) => ReadonlyArray<unknown>
  /** How many rows a statement has changed. */
  readonly changes: (sql: string, params: ReadonlyArray<unknown>) => number
}

/** What a transaction does that is run in one go; a failure undoes it. */
export type Body<A, E> = (connection: Immediate) => Result.Result<A, E>

export interface GroupCommitOptions {
  /** How many transactions share one COMMIT at the most; 1 gives each its own. */
  readonly groupMax: number
}

/** How often the event loop may turn before a group is committed that still grows. */
const turnsMax = 8

/** Transactions that share one BEGIN, one COMMIT and one fsync. */
interface Group {
  /** Told once the COMMIT is through, or what became of it instead. */
  readonly waiting: Array<(failure: SqlError.SqlError | undefined) => void>
  turns: number
  /** Members when the event loop last turned. */
  size: number
  /** Why nothing of it stays, if nothing does. */
  lost: { readonly cause: unknown } | undefined
}

/** The connection as one transaction has it: to itself, from its seat in a group. */
export type Member = SqlConnection.Connection

interface Seat {
  group: Group | undefined
  /** Nothing was written in its group before: what undoes it may undo the group. */
  isFirst: boolean
  /** Nothing runs in it any more. */
  isOver: boolean
}

/** A seat that was waited for, and that others may wait for. */
interface HeldSeat extends Seat {
  /** Closing it gives the connection to the next member. */
  readonly held: Scope.Closeable
  left: boolean
}

const savepoint = "SAVEPOINT member"
const release = "RELEASE SAVEPOINT member"
const rollbackTo = "ROLLBACK TO SAVEPOINT member"

/** How a member ends. */
type Ending = "keeps" | "undoes"

/**
 * Lets transactions that wait at the same time share one COMMIT. Each runs alone, those after the first in a savepoint,
 * for which SQLite copies every page that they change; the outcome, a refusal's too, is told only after the group's COMMIT,
 * since it rests on what the members before wrote. Where the first is undone, so is the group, and the next member opens
 * another. A group is committed when nobody wants to join it and a turn of the event loop has brought no further member.
 * When SQLite has rolled the group back by itself, as it does when the disk is full, every member fails and none runs on
 * outside it.
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
  /** The event loop has turned meanwhile: whoever leaves the seat sees to the group. */
  let isDue = false

  const end = (ended: Group, failure: SqlError.SqlError | undefined): void => {
    if (group === ended) group = undefined
    for (const tell of ended.waiting.splice(0)) tell(failure)
  }

  const undo = (): void => {
    if (database.isTransaction) database.run("ROLLBACK")
  }

  /** Nothing of the group stays: every member fails, and so does whatever the one in the seat still tries. */
  const abandon = (affected: Group, cause: unknown): void => {
    affected.lost ??= { cause }
    try {
      undo()
    } catch {
      // The next group undoes it before it begins, or fails as well.
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

  /** Commits a group that grows no longer, or has grown for long enough; else looks again a turn later. */
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
    database.run("BEGIN IMMEDIATE") // one that reads first and writes later could find that another came between
    group = { waiting: [], turns: 0, size: 0, lost: undefined }
    schedule(group)
    return group
  }

  const evaluateAs = <A>(seat: Seat, evaluate: () => A): A => {
    // Whoever still has the connection then would write into somebody else's savepoint, or outside of any.
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

  /** Waits for a seat and takes it until the scope closes, or until the transaction leaves it of itself. */
  const acquire: Effect.Effect<Member, never, Scope.Scope> = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const held = yield* Scope.make()
      const seat: HeldSeat = { held, group: undefined, isFirst: false, isOver: false, left: false }
      wanted++
      // Before the wait: an interruption can come in the very moment in which the turn has come.
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
    if (seat === undefined) throw new Error("a connection that no group has given out")
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

  /** Ends a member's part; what became of the group is told once it is committed or lost. */
  const part = (seat: Seat, ending: Ending, tell: Group["waiting"][number]): void => {
    const joined = seat.group
    if (joined === undefined) throw new Error("the transaction has not begun")
    seat.isOver = true // at once: before the seat is left, a fiber that was forked within could still run something
    try {
      close(seat, ending)
    } catch (cause) {
      abandon(joined, cause) // a savepoint that cannot be closed would take those after it along
      throw cause
    }
    // In the group before the seat is free: the next member finds it, or finds it committed.
    joined.waiting.push(tell)
    if (seat.isFirst && ending === "undoes") end(joined, undefined)
    else if (joined.waiting.length >= groupMax) commit(joined)
  }

  /** Ends its part, leaves the seat to the next member, and waits for the COMMIT. */
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

  /** Undoes or closes a savepoint, where SQLite has not done so with the whole group already. */
  const unlessLost = <E>(member: Member, effect: (member: Member) => Effect.Effect<void, E>): Effect.Effect<void, E> =>
    Effect.suspend(() => (seatOf(member).group?.lost === undefined ? effect(member) : Effect.void))

  /** What SQLite has undone already is not undone again: the member's own failure says why. */
  const rollbackMember = (member: Member) => unlessLost(member, (own) => conclude(own, "undoes"))

  /** What a member fails with: no refusal that rests on a group that is lost. */
  const failureOf = <E>(member: Member, error: E): E | SqlError.SqlError => {
    const lost = seatOf(member).group?.lost
    return lost === undefined || SqlError.isSqlError(error) ? error : fromCause(lost.cause)
  }

  /** A transaction of one effect, from acquiring to the COMMIT. */
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

  /** What a body comes to that is run in one go: nothing that rests on a group that is lost. */
  const exitOf = <A, E>(seat: Seat, body: Body<A, E>): Exit.Exit<A, E | SqlError.SqlError> => {
    try {
      const result = body(immediateAs(seat))
      if (seat.group?.lost !== undefined) return Exit.fail(fromCause(seat.group.lost.cause))
      return Result.isSuccess(result) ? Exit.succeed(result.success) : Exit.fail(result.failure)
    } catch (cause) {
      return SqlError.isSqlError(cause) ? Exit.fail(cause) : Exit.die(cause)
    }
  }

  /** Begins, runs and closes a transaction while the connection is nobody's; it is told after the COMMIT. */
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
   * A transaction that is run in one go, and undone where it fails. It needs no seat when nobody has one: nothing else
   * can run meanwhile. Whether somebody has is asked where it begins, since a fiber may stop between any two steps.
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
    /** Does something on the connection between two members. */
    alone: (<A>(evaluate: () => A) => turn.withPermit(Effect.try({ try: evaluate, catch: fromCause }))) satisfies Run
  }
}
