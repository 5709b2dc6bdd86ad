import { Effect, Exit, Scope, Semaphore } from "effect"
import type { SqlConnection, SqlError } from "effect/sql"
import type { Groups } from "./Group.ts"
import { newSeat, type Seat } from "./Seat.ts"
import { fromCause } from "./SqliteError.ts"

/** Runs an operation on the connection synchronously and classifies its errors. */
export type Run = <A>(evaluate: () => A) => Effect.Effect<A, SqlError.SqlError>

/** The connection of a transaction in a group. No other transaction uses the connection at the same time. */
export type Member = SqlConnection.Connection

/** The seat of a transaction that has waited for its turn. The next transaction waits until this seat is left. */
export interface HeldSeat extends Seat {
  /** Closing it hands the connection to the next member. */
  readonly held: Scope.Closeable
  left: boolean
}

/** Gives the seats to one transaction at a time, in order. */
export const makeSeatQueue = (groups: Groups, connect: (seat: Seat) => Member) => {
  const turn = Semaphore.makeUnsafe(1)
  const seats = new WeakMap<Member, HeldSeat>()
  let seated: Seat | undefined

  const leave = (seat: HeldSeat): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (seat.left) return Effect.void
      seat.left = true
      if (seated === seat) seated = undefined
      groups.leave(seated === undefined)
      return Scope.close(seat.held, Exit.void)
    })

  /** Waits for a seat and takes it until the scope closes, or until the transaction leaves it. */
  const acquire: Effect.Effect<Member, never, Scope.Scope> = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const held = yield* Scope.make()
      const seat: HeldSeat = { ...newSeat(), held, left: false }
      groups.want()
      // Registered before the wait: an interruption can arrive just when the seat becomes free.
      yield* Effect.addFinalizer(() => leave(seat))
      yield* restore(Scope.provide(turn.takeScoped(1), held))
      seated = seat
      const member = connect(seat)
      seats.set(member, seat)
      return member
    })
  )

  return {
    acquire,
    leave,
    seatOf: (member: Member): HeldSeat => {
      const seat = seats.get(member)
      if (seat === undefined) throw new Error("the connection belongs to no transaction group")
      return seat
    },
    /** Runs an operation on the connection while no transaction has a seat. */
    alone: (<A>(evaluate: () => A) => turn.withPermit(Effect.try({ try: evaluate, catch: fromCause }))) satisfies Run
  }
}
