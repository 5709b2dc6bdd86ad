import { Deferred, Effect, Exit, Scope, Semaphore } from "effect"
import type { SqlConnection, SqlError } from "effect/sql"
import type { SqliteConnection } from "./SqliteConnection.ts"
import { fromCause } from "./SqliteError.ts"

/** Runs something on the connection at once, and classifies what it throws. */
export type Run = <A>(evaluate: () => A) => Effect.Effect<A, SqlError.SqlError>

export interface GroupCommitOptions {
  /** How many transactions share one COMMIT at the most; 1 gives each its own. */
  readonly groupMax: number
}

/** How often the event loop may turn before a group is committed that still grows. */
const turnsMax = 8

/** Transactions that share one BEGIN, one COMMIT and one fsync, each in a savepoint of its own. */
interface Group {
  /** Told once the COMMIT is through, or what became of it instead. */
  readonly waiting: Array<(failure: SqlError.SqlError | undefined) => void>
  turns: number
  /** Members when the event loop last turned. */
  size: number
  /** Why SQLite has undone all of it, if it has. */
  lost: { readonly cause: unknown } | undefined
}

/** The connection as one transaction has it: to itself, from its seat in a group. */
export type Member = SqlConnection.Connection

interface Seat {
  /** Closing it gives the connection to the next member. */
  readonly held: Scope.Closeable
  group: Group | undefined
  left: boolean
}

const savepoint = "SAVEPOINT member"
const release = "RELEASE SAVEPOINT member"
const rollbackTo = "ROLLBACK TO SAVEPOINT member"

/**
 * Lets transactions that wait at the same time share one COMMIT. Each runs alone, in a savepoint; its outcome, a
 * refusal's too, is told only after the group's COMMIT, since it rests on what the members before it wrote. A group is
 * committed when a turn of the event loop has brought no further member. When SQLite has rolled the group back by
 * itself, as it does when the disk is full, every member fails and none runs on outside it.
 */
export const make = (
  database: SqliteConnection,
  connect: (run: Run) => SqlConnection.Connection,
  { groupMax }: GroupCommitOptions
) => {
  const turn = Semaphore.makeUnsafe(1)
  const seats = new WeakMap<Member, Seat>()
  let group: Group | undefined
  let isBusy = false
  let isDue = false

  const end = (ended: Group, failure: SqlError.SqlError | undefined): void => {
    if (group === ended) group = undefined
    for (const tell of ended.waiting.splice(0)) tell(failure)
  }

  const undo = (): void => {
    if (database.isTransaction) database.run("ROLLBACK")
  }

  const commit = (due: Group): void => {
    try {
      database.run("COMMIT")
      end(due, undefined)
    } catch (cause) {
      undo()
      end(due, fromCause(cause))
    }
  }

  const schedule = (waiting: Group): void => {
    setImmediate(() => {
      if (group !== waiting) return
      if (isBusy) {
        isDue = true
        return
      }
      const hasGrown = waiting.waiting.length > waiting.size
      waiting.size = waiting.waiting.length
      if (hasGrown && ++waiting.turns < turnsMax) schedule(waiting)
      else commit(waiting)
    })
  }

  const open = (): Group => {
    database.run("BEGIN IMMEDIATE") // one that reads first and writes later could find that another came between
    group = { waiting: [], turns: 0, size: 0, lost: undefined }
    schedule(group)
    return group
  }

  /** After an error: whether SQLite has ended the transaction by itself, and all that was in it. */
  const noticeLoss = (affected: Group, cause: unknown): void => {
    if (database.isTransaction || affected.lost !== undefined) return
    affected.lost = { cause }
    end(affected, fromCause(cause))
  }

  const runAs =
    (seat: Seat): Run =>
    (evaluate) =>
      Effect.try({
        try: () => {
          const current = seat.group
          if (current?.lost !== undefined) throw current.lost.cause
          try {
            return evaluate()
          } catch (cause) {
            if (current !== undefined) noticeLoss(current, cause)
            throw cause
          }
        },
        catch: fromCause
      })

  const leave = (seat: Seat): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (seat.left) return Effect.void
      seat.left = true
      isBusy = false
      if (isDue && group !== undefined) schedule(group)
      isDue = false
      return Scope.close(seat.held, Exit.void)
    })

  /** Waits for a seat and takes it until the scope closes, or until the transaction leaves it of itself. */
  const acquire: Effect.Effect<Member, never, Scope.Scope> = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const held = yield* Scope.make()
      yield* restore(Scope.provide(turn.takeScoped(1), held))
      isBusy = true
      const seat: Seat = { held, group: undefined, left: false }
      yield* Effect.addFinalizer(() => leave(seat))
      const member = connect(runAs(seat))
      seats.set(member, seat)
      return member
    })
  )

  const seatOf = (member: Member): Seat => {
    const seat = seats.get(member)
    if (seat === undefined) throw new Error("a connection that no group has given out")
    return seat
  }

  const begin = (member: Member): Effect.Effect<void, SqlError.SqlError> => {
    const seat = seatOf(member)
    return runAs(seat)(() => {
      seat.group = group ?? open()
      database.run(savepoint)
    })
  }

  /** Leaves the seat to the next member, and waits for the COMMIT. */
  const settle = (seat: Seat): Effect.Effect<void, SqlError.SqlError> =>
    Effect.suspend(() => {
      const joined = seat.group
      if (joined === undefined) return leave(seat) // BEGIN itself has failed
      if (joined.lost !== undefined) return Effect.andThen(leave(seat), Effect.fail(fromCause(joined.lost.cause)))
      const told = Deferred.makeUnsafe<void, SqlError.SqlError>()
      // In the group before the seat is free: the next member finds it, or finds it committed.
      joined.waiting.push((failure) =>
        Deferred.doneUnsafe(told, failure === undefined ? Effect.void : Effect.fail(failure))
      )
      if (joined.waiting.length >= groupMax) commit(joined)
      return Effect.andThen(leave(seat), Deferred.await(told))
    })

  /** A savepoint that cannot be closed would take those after it along: then nothing of the group stays. */
  const commitMember = (member: Member) => {
    const seat = seatOf(member)
    const released = runAs(seat)(() => {
      try {
        database.run(release)
      } catch (cause) {
        undo()
        throw cause
      }
    })
    return Effect.andThen(released, settle(seat))
  }

  /** What SQLite has undone already is not undone again: the member's own failure says why. */
  const rollbackMember = (member: Member) =>
    Effect.suspend(() => {
      const seat = seatOf(member)
      if (seat.group === undefined || seat.group.lost !== undefined) return leave(seat)
      const undone = runAs(seat)(() => {
        database.run(rollbackTo)
        database.run(release)
      })
      return Effect.andThen(undone, settle(seat))
    })

  /** Undoes or closes a savepoint, where SQLite has not done so with the whole group already. */
  const unlessLost = <E>(member: Member, effect: (member: Member) => Effect.Effect<void, E>): Effect.Effect<void, E> =>
    Effect.suspend(() => (seatOf(member).group?.lost === undefined ? effect(member) : Effect.void))

  /** A transaction of one effect, from acquiring to the COMMIT. */
  const transaction = <A>(use: (member: Member) => Effect.Effect<A, SqlError.SqlError>) =>
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

  return {
    acquire,
    begin,
    commit: commitMember,
    rollback: rollbackMember,
    unlessLost,
    transaction,
    /** Does something on the connection between two members. */
    alone: (<A>(evaluate: () => A) => turn.withPermit(Effect.try({ try: evaluate, catch: fromCause }))) satisfies Run
  }
}
