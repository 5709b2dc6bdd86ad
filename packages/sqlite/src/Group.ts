import type { SqlError } from "effect/sql"
import type { SqliteConnection } from "./SqliteConnection.ts"
import { fromCause } from "./SqliteError.ts"

/** The maximum number of event-loop turns that a growing group waits before its COMMIT. */
const turnsMax = 8

/** Called after the COMMIT of a group, or with the failure if the group was lost. */
export type Tell = (failure: SqlError.SqlError | undefined) => void

/** Transactions that share one BEGIN, one COMMIT and one fsync. */
export interface Group {
  readonly waiting: Array<Tell>
  turns: number
  /** The number of members at the last turn of the event loop. */
  size: number
  /** Run the members again, each in a savepoint. */
  readonly repeats: Array<() => void>
  /** Whether all members can run again, and none has. Otherwise further members need savepoints. */
  isRepeatable: boolean
  /** The reason why the group was rolled back, if it was. */
  lost: { readonly cause: unknown } | undefined
}

/**
 * The open group of a connection. It commits when no transaction waits to join and a turn of the event loop added no
 * member, or when it has waited long enough.
 */
export const makeGroups = (database: SqliteConnection) => {
  let group: Group | undefined
  /** Transactions that have the connection or wait for it. */
  let wanted = 0
  /**
   * The event loop turned while a transaction had the connection. That transaction reviews the group when it leaves.
   */
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
    if (affected.lost !== undefined) return // a member that was notified of the loss may have opened the next group
    affected.lost = { cause }
    try {
      undo()
    } catch {
      // The next group rolls the open transaction back before it begins, or fails as well.
    }
    end(affected, fromCause(cause))
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

  const begin = (): void => {
    undo()
    database.run("BEGIN IMMEDIATE") // a deferred transaction could fail when it turns from reading to writing
  }

  const open = (): Group => {
    begin()
    group = { waiting: [], turns: 0, size: 0, repeats: [], isRepeatable: true, lost: undefined }
    schedule(group)
    return group
  }

  return {
    /** The open group, if there is one. */
    current: () => group,
    open,
    begin,
    undo,
    end,
    abandon,
    commit,
    /** Whether a transaction has the connection or waits for it. */
    isWanted: () => wanted > 0,
    /** A transaction wants the connection. */
    want: (): void => {
      wanted++
    },
    /** A transaction leaves the connection, or gives up waiting for it while another one has it. */
    leave: (isFree: boolean): void => {
      wanted--
      if (!isDue || !isFree) return
      isDue = false
      if (group !== undefined) review(group)
    }
  }
}

export type Groups = ReturnType<typeof makeGroups>
