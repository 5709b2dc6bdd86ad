import type { Group, Groups, Tell } from "./Group.ts"
import type { SqliteConnection } from "./SqliteConnection.ts"

/** A transaction's place in a group. */
export interface Seat {
  group: Group | undefined
  /** No member wrote before, so a rollback of this member may roll back the group. */
  isFirst: boolean
  hasSavepoint: boolean
  /** `SqliteConnection.writes` when the transaction began. */
  writesBefore: number
  /** The transaction has ended; no further statement may run in it. */
  isOver: boolean
}

const savepoint = "SAVEPOINT member"
const release = "RELEASE SAVEPOINT member"
const rollbackTo = "ROLLBACK TO SAVEPOINT member"

/** How a member ends: `keeps` commits, `undoes` rolls back. */
export type Ending = "keeps" | "undoes"

/** Runs the statements of a transaction that can run again. */
export type Attempt = (seat: Seat) => Ending

export const newSeat = (): Seat => ({
  group: undefined,
  isFirst: false,
  hasSavepoint: false,
  writesBefore: 0,
  isOver: false
})

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

  /** Begins a transaction in the open group, or in a new one. */
  const enter = (seat: Seat, group: Group): void => {
    seat.group = group
    seat.hasSavepoint = !seat.isFirst && !group.isRepeatable
    if (seat.hasSavepoint) database.run(savepoint)
    seat.writesBefore = database.writes
  }

  /** The open group, or a new one. */
  const groupFor = (seat: Seat): Group => {
    const open = groups.current()
    seat.isFirst = open === undefined
    return open ?? groups.open()
  }

  /** Begins a transaction that cannot run again. */
  const join = (seat: Seat): void => {
    const group = groupFor(seat)
    group.isRepeatable = false
    enter(seat, group)
  }

  /** Undoes the writes of a member without a savepoint: runs the group again, with savepoints. */
  const repeat = (group: Group): void => {
    group.isRepeatable = false
    groups.begin()
    for (const run of group.repeats) run()
  }

  const undo = (seat: Seat, group: Group): void => {
    if (seat.hasSavepoint) database.run(rollbackTo)
    else if (seat.isFirst) groups.undo()
    else if (database.writes > seat.writesBefore) repeat(group)
  }

  const end = (seat: Seat, group: Group, ending: Ending): void => {
    seat.isOver = true // set before the seat is left: a forked fiber could still run a statement
    if (group.lost !== undefined) throw group.lost.cause
    if (ending === "undoes") undo(seat, group)
    if (seat.hasSavepoint) database.run(release)
  }

  /** Ends a member's part. The outcome is reported after the group's COMMIT or loss. */
  const part = (seat: Seat, ending: Ending, tell: Tell): void => {
    const { group } = seat
    if (group === undefined) throw new Error("the transaction has not begun")
    try {
      end(seat, group, ending)
    } catch (cause) {
      groups.abandon(group, cause) // an open savepoint would take later members along
      throw cause
    }
    // Pushed before the seat is free, so that the next member finds the group with it or committed.
    group.waiting.push(tell)
    if (seat.isFirst && ending === "undoes") groups.end(group, undefined)
    else if (group.waiting.length >= groupMax) groups.commit(group)
  }

  /** Runs a whole transaction that can run again. */
  const perform = (attempt: Attempt, tell: Tell): void => {
    const seat = newSeat()
    const group = groupFor(seat)
    enter(seat, group)
    group.repeats.push(() => {
      const again = newSeat()
      enter(again, group)
      end(again, group, attempt(again))
    })
    part(seat, attempt(seat), tell)
  }

  return { evaluate, join, part, perform }
}

export type Seats = ReturnType<typeof makeSeats>
