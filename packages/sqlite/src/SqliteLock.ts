import { statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { Effect, type Scope } from "effect"
import { fromCause, type SqliteOpenError } from "./SqliteOpenError.ts"

/** The lock file beside a database. A process that serves from the database holds its lock. */
export const lockFile = (filename: string): string => `${filename}.lock`

/** A lock, held as long as its file keeps its name. */
export interface Held {
  /** False after the file was removed or replaced: another process can then hold a lock of the same name. */
  readonly isHeld: () => boolean
}

const inodeOf = (file: string): bigint | undefined => statSync(file, { bigint: true, throwIfNoEntry: false })?.ino

const heldAt = (file: string): Held => {
  const inode = inodeOf(file)
  return { isHeld: () => inode !== undefined && inodeOf(file) === inode }
}

/**
 * Locks the database for this process until the scope closes. Fails if this or another process holds the lock.
 *
 * The lock is SQLite's own, `BEGIN EXCLUSIVE` on an empty database beside the real one. The operating system releases
 * it however the process ends, so no stale lock remains. The file itself stays.
 */
export const acquire = (filename: string): Effect.Effect<Held, SqliteOpenError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.try({
        try: () => {
          const database = new DatabaseSync(lockFile(filename), { timeout: 0 })
          try {
            database.exec("PRAGMA journal_mode = MEMORY") // otherwise a journal would appear beside the lock file
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
