import type { Group, Groups, Tell } from "./Group.ts"
import type { SqliteConnection } from "./SqliteConnection.ts"

/** A transaction's place in a group. */
export interface Seat {
  group: Group | undefined
  /** No member wrote before, so a rollback of this member may roll back the group. */
  isFirst: boolean
  /** The transaction has ended; no further statement may run in it. */
  isOver: boolean
}

const savepoint = "SAVEPOINT member"
const release = "RELEASE SAVEPOINT member"
const rollbackTo = "ROLLBACK TO SAVEPOINT member"

/** How a member ends: `keeps` commits, `undoes` rolls back. */
export type Ending = "keeps" | "undoes"

/** The synchronous steps of a transaction in a group of at most `groupMax` members. */
export const makeSeats = (database: SqliteConnection, groups: Groups, groupMax: number) => {
  /** Runs an operation of the transaction. */
  const evaluate = <A>(seat: Seat, operation: () => A): A => {
    // The statement would run in another transaction's savepoint, or outside of any.
    if (seat.isOver) throw new Error("the transaction has ended")
    if (seat.group?.lost !== undefined) throw seat.group.lost.cause
    try {
      return operation()
    } catch (cause) {
      if (seat.group !== undefined && !database.isTransaction) groups.abandon(seat.group, cause)
      throw cause
    }
  }

  /** Begins the transaction in the open group, or in a new one. */
  const join = (seat: Seat): void => {
    const open = groups.current()
    seat.isFirst = open === undefined
    seat.group = open ?? groups.open()
    if (!seat.isFirst) database.run(savepoint)
  }

  const close = ({ isFirst }: Seat, ending: Ending): void => {
    if (isFirst) {
      if (ending === "undoes") groups.undo()
      return
    }
    if (ending === "undoes") database.run(rollbackTo)
    database.run(release)
  }

  /** Ends a member's part. The outcome is reported after the group's COMMIT or loss. */
  const part = (seat: Seat, ending: Ending, tell: Tell): void => {
    const joined = seat.group
    if (joined === undefined) throw new Error("the transaction has not begun")
    seat.isOver = true // set before the seat is left: a forked fiber could still run a statement
    try {
      close(seat, ending)
    } catch (cause) {
      groups.abandon(joined, cause) // an open savepoint would take later members along
      throw cause
    }
    // Pushed before the seat is free, so that the next member finds the group with it or committed.
    joined.waiting.push(tell)
    if (seat.isFirst && ending === "undoes") groups.end(joined, undefined)
    else if (joined.waiting.length >= groupMax) groups.commit(joined)
  }

  return { evaluate, join, part }
}

export type Seats = ReturnType<typeof makeSeats>
