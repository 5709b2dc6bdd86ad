import { statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { Effect, type Scope } from "effect"
import { fromCause, type SqliteOpenError } from "./SqliteOpenError.ts"

/** The file beside a database whose lock means that a process serves from it. */
export const lockFile = (filename: string): string => `${filename}.lock`

/** A lock that is held, for as long as its file has its name. */
export interface Held {
  /** False once the file was removed or exchanged: then another process can hold a lock of the same name. */
  readonly isHeld: () => boolean
}

const inodeOf = (file: string): bigint | undefined => statSync(file, { bigint: true, throwIfNoEntry: false })?.ino

const heldAt = (file: string): Held => {
  const inode = inodeOf(file)
  return { isHeld: () => inode !== undefined && inodeOf(file) === inode }
}

/**
 * Holds the database for this process until the scope closes; a second holder, in this process or another, is refused.
 * The lock is SQLite's own, `BEGIN EXCLUSIVE` on an empty database beside the real one: the operating system frees it
 * however the process ends, so that no stale file ever has to be judged. The file itself stays.
 */
export const acquire = (filename: string): Effect.Effect<Held, SqliteOpenError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.try({
        try: () => {
          const database = new DatabaseSync(lockFile(filename), { timeout: 0 })
          try {
            database.exec("PRAGMA journal_mode = MEMORY") // else a journal would stand beside the lock file
            database.exec("BEGIN EXCLUSIVE")
            return database
          } catch (cause) {
            database.close()
            throw cause
          }
        },
        catch: (cause) => fromCause(filename, cause)
      }),
      (database) => Effect.sync(() => database.close())
    ),
    () => heldAt(lockFile(filename))
  )
