import type { Group, Groups, Tell } from "./Group.ts"
import type { SqliteConnection } from "./SqliteConnection.ts"

/** A transaction as a member of a group. */
export interface Membership {
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
export type Attempt = (membership: Membership) => Ending

export const newMembership = (): Membership => ({
  group: undefined,
  isFirst: false,
  hasSavepoint: false,
  writesBefore: 0,
  isOver: false
})

/** The synchronous steps of a transaction in a group of at most `groupMax` members. */
export const makeMemberships = (database: SqliteConnection, groups: Groups, groupMax: number) => {
  /** Runs an operation of the transaction. */
  const evaluate = <A>(membership: Membership, operation: () => A): A => {
    // The statement would run in another transaction's savepoint, or outside of any.
    if (membership.isOver) throw new Error("the transaction has ended")
    if (membership.group?.lost !== undefined) throw membership.group.lost.cause
    try {
      return operation()
    } catch (cause) {
      if (membership.group !== undefined && !database.isTransaction) groups.abandon(membership.group, cause)
      throw cause
    }
  }

  /** Begins a transaction in the open group, or in a new one. */
  const enter = (membership: Membership, group: Group): void => {
    membership.group = group
    membership.hasSavepoint = !membership.isFirst && !group.isRepeatable
    if (membership.hasSavepoint) database.run(savepoint)
    membership.writesBefore = database.writes
  }

  /** The open group, or a new one. */
  const groupFor = (membership: Membership): Group => {
    const open = groups.current()
    membership.isFirst = open === undefined
    return open ?? groups.open()
  }

  /** Begins a transaction that cannot run again. */
  const join = (membership: Membership): void => {
    const group = groupFor(membership)
    group.isRepeatable = false
    enter(membership, group)
  }

  /** Undoes the writes of a member without a savepoint: runs the group again, with savepoints. */
  const repeat = (group: Group): void => {
    group.isRepeatable = false
    groups.begin()
    for (const run of group.repeats) run()
  }

  const undo = (membership: Membership, group: Group): void => {
    if (membership.hasSavepoint) database.run(rollbackTo)
    else if (membership.isFirst) groups.undo()
    else if (database.writes > membership.writesBefore) repeat(group)
  }

  const end = (membership: Membership, group: Group, ending: Ending): void => {
    membership.isOver = true // set before the connection is handed on: a forked fiber could still run a statement
    if (group.lost !== undefined) throw group.lost.cause
    if (ending === "undoes") undo(membership, group)
    if (membership.hasSavepoint) database.run(release)
  }

  /** Ends a member's part. The outcome is reported after the group's COMMIT or loss. */
  const part = (membership: Membership, ending: Ending, tell: Tell): void => {
    const { group } = membership
    if (group === undefined) throw new Error("the transaction has not begun")
    try {
      end(membership, group, ending)
    } catch (cause) {
      groups.abandon(group, cause) // an open savepoint would take later members along
      throw cause
    }
    // Pushed before the connection is free, so that the next member finds the group with it or committed.
    group.waiting.push(tell)
    if (membership.isFirst && ending === "undoes") groups.end(group, undefined)
    else if (group.waiting.length >= groupMax) groups.commit(group)
  }

  /** Runs a whole transaction that can run again. */
  const perform = (attempt: Attempt, tell: Tell): void => {
    const membership = newMembership()
    const group = groupFor(membership)
    enter(membership, group)
    group.repeats.push(() => {
      const again = newMembership()
      enter(again, group)
      end(again, group, attempt(again))
    })
    part(membership, attempt(membership), tell)
  }

  return { evaluate, join, part, perform }
}

export type Memberships = ReturnType<typeof makeMemberships>
